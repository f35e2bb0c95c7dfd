# SPDX-License-Identifier: Apache-2.0
#
# Values, and the classes that hold them: how they are declared, and what reads and changes them.
import re

from forms import FORMS, NUMBER_USES

# How an object holds another one: the member's declaration, and the other object. `C` is the class, `m` the member.
STRUCTS = {
    "member": ("C m;", "m"),
    "unique_ptr": ("std::unique_ptr<C> m = std::make_unique<C>();", "(*m)"),
    "shared_ptr": ("std::shared_ptr<C> m = std::make_shared<C>();", "(*m)"),
    "pointer": ("std::shared_ptr<C> m_owner = std::make_shared<C>(); C* m = m_owner.get();", "(*m)"),
    "reference": ("std::shared_ptr<C> m_owner = std::make_shared<C>(); C& m = *m_owner;", "m"),
    "reference_wrapper": ("std::shared_ptr<C> m_owner = std::make_shared<C>(); std::reference_wrapper<C> m = *m_owner;", "m.get()"),
    "optional": ("std::optional<C> m{std::in_place};", "(*m)"),
    "array": ("std::array<C, 2> m;", "m[1]"),
    "vector": ("std::vector<C> m = std::vector<C>(2);", "m[1]"),
    "vector of unique_ptr": ("std::vector<std::unique_ptr<C>> m = values::several<C>();", "(*m[1])"),
    "pair": ("std::pair<C, int> m;", "m.first"),
    "tuple": ("std::tuple<int, C> m;", "std::get<1>(m)"),
    "variant": ("std::variant<C, int> m;", "std::get<0>(m)"),
    "map": ("std::map<std::string, C> m = values::by_name<C>();", 'm.at("a")'),
}
# The same for modules only, whose holder is `H`.
MODULES = {
    "holder": ("H m;", "(*m)"),
    "registered": ('H m = register_module("m", H());', "(*m)"),
    "vector of holders": ("std::vector<H> m = std::vector<H>(2);", "(*m[1])"),
}
REPLACED = {"unique_ptr": "std::make_unique<C>()", "shared_ptr": "std::make_shared<C>()", "holder": "H()", "registered": "H()"}
WAYS = ("here", "here", "reference", "lambda", "method", "method elsewhere", "function", "function elsewhere")
TENSOR = "at::Tensor"


class File:
    """A source as it is printed. Each line knows the values that it is about."""

    def __init__(self, name, *head):
        self.name = name
        self.lines = list(head)

    def add(self, text, *values):
        self.lines.append(text)
        for value in values:
            value.places.add((self.name, len(self.lines)))


def member(place, name):
    return f"{place}.{name}" if place else name


class Value:
    def __init__(self, dice, name, forms=FORMS):
        self.name = name
        self.names = {name}  # and those of the members that lead to it
        self.places = set()
        self.form = dice.choice(dice.choice(forms))
        self.use = self.form.use or dice.choice(NUMBER_USES).replace("N", self.form.number)
        self.way = dice.choice(WAYS)
        self.kind = "member"
        self.is_private = False

    def first(self):
        return re.sub(r"\bk\b", "0", self.form.value)

    def declared(self, before=""):
        return f"{before}{self.form.type} {self.name} = {self.first()};"

    def used(self, place):
        return self.use.replace("$", place)

    def changer(self, place):
        """The body of a function that makes the change `which`."""
        return " ".join(f"if (which == {i}) {{ {self.form.change(change, place)} }}" for i, change in enumerate(self.form.changes))


class Several:
    """Values that change together, the first of which stands for them."""

    def __init__(self, values):
        self.name, self.form, self.way = values[0].name, values[0].form, values[0].way
        self.names = set().union(*(value.names for value in values))
        self.places = set().union(*(value.places for value in values))


class Part:
    def __init__(self, name, way, holder):
        self.name, self.way, self.holder = name, way, holder

    def spelled(self, text):
        text = re.sub(r"\bC\b", self.holder.type, text)
        return re.sub(r"\bH\b", self.holder.name, text)

    def declared(self):
        return re.sub(r"\bm(?=\b|_owner)", self.name, self.spelled((STRUCTS | MODULES)[self.way][0]))

    def reached(self, place):
        return re.sub(r"\bm\b", member(place, self.name), (STRUCTS | MODULES)[self.way][1])

    def replaced(self, place):
        return f"{member(place, self.name)} = {self.spelled(REPLACED[self.way])};"


class Holder:
    """A class with values: a struct, or a module, whose holder has the name."""

    def __init__(self, dice, name, is_module):
        self.name = name
        self.type = name + "Impl" if is_module else name
        self.is_module = is_module
        self.base = None
        self.values, self.parts = [], []
        self.dice = dice

    def classes(self):
        for needed in ([self.base] if self.base else []) + [part.holder for part in self.parts]:
            yield from needed.classes()
        yield self

    def owned(self, place, names=()):
        """(value, class, place of its object, names of the members that lead to it) of all that an object holds."""
        for value in self.values:
            yield value, self, place, names
        if self.base:
            yield from self.base.owned(place, names)
        for part in self.parts:
            yield from part.holder.owned(part.reached(place), (*names, part.name))

    def reached_parts(self, place):
        for part in self.parts:
            yield part, place
            yield from part.holder.reached_parts(part.reached(place))

    def print(self, header, elsewhere, methods):
        """`methods` prints further members."""
        header.add(f"struct {self.type};")
        for value in self.values:
            if value.way.startswith("function"):
                header.add(f"{'inline ' if value.way == 'function' else ''}{self.signature(value)};", value)
        bases = [self.base.type] if self.base else []
        if self.is_module and not (self.base and self.base.is_module):
            bases.insert(0, "torch::nn::Module")
        header.add(f"struct {self.type}{' : ' if bases else ''}{', '.join(bases)} {{")
        for part in self.parts:
            header.add(part.declared(), *(value for value, *_ in part.holder.owned("")))
        for value in sorted(self.values, key=lambda value: value.is_private):
            if value.is_private:
                header.add(" private:")
            self.declare(value, header, elsewhere)
            if value.is_private:
                header.add(" public:")
        for value in self.values:
            self.print_methods(value, header, elsewhere)
        methods(header)
        header.add("};")
        if self.is_module:
            header.add(f"TORCH_MODULE({self.name});")
        for value in self.values:
            self.print_function(value, header, elsewhere)

    def declare(self, value, header, elsewhere):
        if value.kind == "registered":
            header.add(f'{value.form.type} {value.name} = register_{value.form.registers}("{value.name}", {value.first()});', value)
        elif value.kind == "static elsewhere":
            header.add(f"static {value.form.type} {value.name};", value)
            elsewhere.add(f"{value.form.type} {self.type}::{value.name} = {value.first()};", value)
        else:
            header.add(value.declared("inline static " if value.kind == "static" else ""), value)

    def print_methods(self, value, header, elsewhere):
        if value.way == "method":
            header.add(f"{TENSOR} use_{value.name}(const {TENSOR}& x) {{ return {value.used(value.name)}; }}", value)
        elif value.way == "method elsewhere":
            header.add(f"{TENSOR} use_{value.name}(const {TENSOR}& x);", value)
            elsewhere.add(f"{TENSOR} {self.type}::use_{value.name}(const {TENSOR}& x) {{ return {value.used(value.name)}; }}", value)
        if value.is_private:
            changer = f"change_{value.name}(int which, [[maybe_unused]] int k)"
            if self.dice.randrange(2):
                header.add(f"void {changer} {{ {value.changer(value.name)} }}")
            else:
                header.add(f"void {changer};")
                elsewhere.add(f"void {self.type}::{changer} {{ {value.changer(value.name)} }}")

    def print_function(self, value, header, elsewhere):
        body = f"{{ return {value.used('o.' + value.name)}; }}"
        if value.way == "function":
            header.add(f"inline {self.signature(value)} {body}", value)
        elif value.way == "function elsewhere":
            elsewhere.add(f"{self.signature(value)} {body}", value)

    def signature(self, value):
        return f"{TENSOR} use_{value.name}({self.type}& o, const {TENSOR}& x)"


def read(value, place):
    """The statement of a body that reads a value of the object at `place`, which is empty for the object of a method."""
    if value.way.startswith("method"):
        return f"y = y + {member(place, 'use_' + value.name)}(x);"
    if value.way.startswith("function"):
        return f"y = y + use_{value.name}({place or '*this'}, x);"
    if value.way == "reference":
        return f"{{ auto& held = {place or '*this'}; y = y + {value.used('held.' + value.name)}; }}"
    if value.way == "lambda":
        return f"y = y + [&] {{ return {value.used(member(place, value.name))}; }}();"
    return f"y = y + {value.used(member(place, value.name))};"


class Global:
    """A value that no object holds."""

    def __init__(self, dice, name):
        self.value = Value(dice, name)
        kinds = ["local static"]
        if not self.value.form.is_on_device:
            kinds += ["inline", "inline", "extern", "internal", "internal elsewhere", "thread_local"]
        elif self.value.form.empty is not None:
            kinds += ["late", "late elsewhere"]
        self.kind = dice.choice(kinds)
        if "elsewhere" in self.kind:
            self.value.way = "function elsewhere"
        elif self.value.way.startswith("method") or self.value.way == "reference":
            self.value.way = "here"
        if self.kind == "internal":  # each source has its own one
            self.value.way = "function"
        self.place = name + "()" if self.kind == "local static" else name

    def print(self, header, elsewhere):
        value = self.value
        late = f"{value.form.type} {value.name}{value.form.empty};"
        if self.kind == "local static":
            header.add(f"inline {value.form.type.rstrip('&')}& {self.place} {{ static {value.declared()} return {value.name}; }}", value)
        elif self.kind == "extern":
            header.add(f"extern {value.form.type} {value.name};", value)
            elsewhere.add(value.declared(), value)
        elif self.kind == "late":
            header.add(f"inline {late}", value)
        elif "elsewhere" in self.kind:
            elsewhere.add(f"static {late}" if self.kind == "late elsewhere" else value.declared("static "), value)
            header.add(f"void change_{value.name}(int which, int k);")
            elsewhere.add(f"void change_{value.name}(int which, [[maybe_unused]] int k) {{ {value.changer(value.name)} }}")
        else:
            header.add(value.declared({"inline": "inline ", "internal": "static ", "thread_local": "inline thread_local "}[self.kind]), value)
        signature = f"{TENSOR} use_{value.name}(const {TENSOR}& x)"
        if value.way == "function":
            header.add(f"inline {signature} {{ return {value.used(self.place)}; }}", value)
        elif value.way == "function elsewhere":
            header.add(f"{signature};", value)
            elsewhere.add(f"{signature} {{ return {value.used(self.place)}; }}", value)

    def read(self):
        if self.value.way.startswith("function"):
            return f"y = y + use_{self.value.name}(x);"
        return f"y = y + {self.value.used(self.place)};"

    def change(self, which):
        if "elsewhere" in self.kind:
            return f"change_{self.value.name}({which}, k);"
        return self.value.form.change(self.value.form.changes[which], self.place)
