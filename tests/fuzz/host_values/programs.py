# SPDX-License-Identifier: Apache-2.0
#
# A random program of one seed: a graphed callable over an object, arguments and globals, and what changes them from outside.
import random

from forms import READ_ELSEWHERE
from objects import Global, Holder, MODULES, Part, REPLACED, STRUCTS, Several, TENSOR, Value, read

# How a function gets its object: the parameter's type, the object, and what the program gives. `C` is the class, `H` a module's holder.
PARAMETERS = {"C& o": ("o", "*O"), "const std::shared_ptr<C>& o": ("(*o)", "O")}
MODULE_PARAMETERS = {"H o": ("(*o)", "H(O)")}
# Whose members a callable of a kind reads.
OBJECTS = {
    "method": "its object", "module's method": "its module", "functor": "itself", "object argument": "its argument", "module argument": "a module argument",
}


class Program:
    def __init__(self, seed):
        self.seed = seed
        self.dice = random.Random(seed)
        self.count = 0
        self.has_gradient = self.dice.randrange(3) == 0
        self.annotation = "x: f32[4, 3]" + (" grad" if self.has_gradient else "")
        kinds = ("method", "method", "module's method", "module's method", "functor", "object argument", "module argument", "globals")
        self.kind = self.dice.choice(kinds)
        self.has_object = self.kind != "globals"
        self.is_method = self.has_object and "argument" not in self.kind
        self.body_elsewhere = self.dice.randrange(3) == 0
        self.root = self.holder("Root", self.kind.startswith("module"), 0) if self.has_object else None
        self.globals = [Global(self.dice, self.name("v")) for _ in range(self.dice.randrange(3) if self.has_object else 3)]
        self.settings = self.holder("Settings", self.dice.randrange(3) == 0, 1) if self.dice.randrange(4) == 0 else None
        self.settings_name = self.name("settings")
        on_device = self.settings and any(value.form.is_on_device for value, *_ in self.settings.owned(""))
        self.settings_kind = "local static" if on_device else self.dice.choice(("local static", "inline", "extern"))
        self.settings_place = self.settings_name + ("()" if self.settings_kind == "local static" else "")
        self.parameter = self.dice.choice(list(PARAMETERS | (MODULE_PARAMETERS if self.root and self.root.is_module else {})))
        for root in self.roots():
            for value, _, _, names in root.owned(""):
                value.names.update(names)
        if self.settings:
            for value, *_ in self.settings.owned(""):
                value.names.add(self.settings_name)

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.seed}_{self.count}"

    def roots(self):
        return [root for root in (self.root, self.settings) if root]

    def values(self):
        yield from (value for root in self.roots() for value, *_ in root.owned(""))
        yield from (each.value for each in self.globals)

    def holder(self, name, is_module, depth):
        result = Holder(self.dice, name, is_module)
        if self.dice.randrange(4) == 0:
            result.base = self.holder(name + "Base", is_module and self.dice.randrange(2) == 0, 3)
        for _ in range(1 + self.dice.randrange(3 if depth == 0 else 2)):
            result.values.append(self.value(is_module))
        for _ in range((2, 1, 1, 0)[depth] if self.dice.randrange(3) > 0 else 0):
            holds_module = self.dice.randrange(2) == 0
            ways = {**STRUCTS, **MODULES} if holds_module else STRUCTS
            way = self.dice.choice([way for way in ways if way != "registered" or is_module])
            result.parts.append(Part(self.name("part"), way, self.holder(f"C{self.count}", holds_module, depth + 1)))
        return result

    def value(self, in_module):
        value = Value(self.dice, self.name("v"))
        if in_module and value.form.registers and self.dice.randrange(2):
            value.kind = "registered"
        elif not value.form.is_on_device and self.dice.randrange(8) == 0:
            value.kind = self.dice.choice(("static", "static elsewhere"))
        if self.dice.randrange(5) == 0 and value.form.value != "{}":
            value.is_private = True
            value.way = self.dice.choice(("method", "method elsewhere"))
        return value

    def print(self, header, bodies, elsewhere):
        for source in (header, bodies, elsewhere):
            source.add(f"namespace p{self.seed} {{")
        shown = [value for value in self.values() if value.form.reads_elsewhere]
        for text in READ_ELSEWHERE if shown else ():
            header.add(text, *shown)
        for value in self.globals:
            value.print(header, elsewhere)
        for root in self.roots():
            for each in root.classes():
                if each is not self.root or not self.is_method:
                    each.print(header, elsewhere, lambda _: None)
        if self.settings:
            self.print_settings(header, elsewhere)
        if self.is_method:
            self.root.print(header, elsewhere, lambda header: self.print_callable(header, bodies))
        else:
            self.print_callable(header, bodies)
        for source in (header, bodies, elsewhere):
            source.add(f"}}  // namespace p{self.seed}")

    def print_settings(self, header, elsewhere):
        type, values = self.settings.type, [value for value, *_ in self.settings.owned("")]
        if self.settings_kind == "local static":
            header.add(f"inline {type}& {self.settings_place} {{ static {type} settings; return settings; }}", *values)
        elif self.settings_kind == "inline":
            header.add(f"inline {type} {self.settings_name};", *values)
        else:
            header.add(f"extern {type} {self.settings_name};", *values)
            elsewhere.add(f"{type} {self.settings_name};", *values)

    def print_callable(self, header, bodies):
        parameters = f"const {TENSOR}& x"
        annotation = self.annotation
        if self.has_object and not self.is_method:
            text = self.parameter.replace("C", self.root.type).replace("H", self.root.name)
            parameters = f"{text}, {parameters}"
            annotation += f", o: {'module' if self.root.is_module else 'object'}"
        header.add(f"GRAPHED({annotation}; warmup = 1)")
        name = "operator()" if self.kind == "functor" else "run"
        inline = "" if self.is_method or self.body_elsewhere else "inline "
        signature = f"{inline}{TENSOR} {name}({parameters})"
        body = header
        if self.body_elsewhere:
            header.add(f"{signature};")
            body = bodies
            signature = f"{TENSOR} {self.root.type + '::' if self.is_method else ''}{name}({parameters})"
        body.add(f"{signature} {{")
        body.add(f"{TENSOR} y = x * 0.5;")
        for text, value in self.reads():
            body.add(text, value)
        body.add("return y;")
        body.add("}")

    def reads(self):
        places = []
        if self.root:
            places.append((self.root, "" if self.is_method else (PARAMETERS | MODULE_PARAMETERS)[self.parameter][0]))
        if self.settings:
            places.append((self.settings, self.settings_place))
        for root, start in places:
            for value, _, place, _ in root.owned(start):
                yield read(value, place), value
        for value in self.globals:
            yield value.read(), value.value

    def changes(self):
        """(value, what is done, statements that change the value of both objects, or the one that all calls read)"""
        if self.root:
            yield from self.changes_of(self.root, ("(*plain)", "(*object)"), OBJECTS[self.kind])
        if self.settings:
            yield from self.changes_of(self.settings, (self.settings_place,), f"a global object, {self.settings_kind}")
        for each in self.globals:
            for which, change in enumerate(each.value.form.changes):
                yield each.value, f"{each.kind} global, {change}", each.change(which)

    def changes_of(self, root, starts, where):
        owned = zip(*(list(root.owned(start)) for start in starts))
        for same in owned:
            value = same[0][0]
            places = [place for _, _, place, _ in same]
            if value.kind.startswith("static"):
                places = places[:1]
            for which, change in enumerate(value.form.changes):
                yield value, f"{value.kind} of a {'module' if same[0][1].is_module else 'struct'} in {where}, {change}", " ".join(
                    f"{place}.change_{value.name}({which}, k);" if value.is_private else value.form.change(change, f"{place}.{value.name}")
                    for place in places)
        for same in zip(*(list(root.reached_parts(start)) for start in starts)):
            part = same[0][0]
            inner = [value for value in part.holder.values if not value.is_private and not value.kind.startswith("static")]
            if part.way in REPLACED and inner:
                owned = [value for value, *_ in part.holder.owned("") if not value.kind.startswith("static") and value is not inner[0]]
                yield Several([inner[0], *owned]), f"{part.way} in {where} that is replaced", " ".join(
                    f"{part.replaced(place)} {inner[0].form.change(inner[0].form.changes[0], part.reached(place) + '.' + inner[0].name)}"
                    for _, place in same)

    def late_globals(self):
        return [value for value in self.globals if value.kind.startswith("late")]

    def print_run(self, run, said):
        """`said` gives the ids of the diagnostics that name a value."""
        begin = [f"{{ constexpr int k = 0; {value.change(0)} }}" for value in self.globals if value.kind.startswith("late")]
        # What is made at the first use would draw random numbers in one of the two first calls.
        places = [value.place for value in self.globals if value.kind == "local static"] + ([self.settings_place] if self.settings else [])
        begin += [f"static_cast<void>({place});" for place in places]
        begin += [f"const auto {name} = hunt::make<{self.root.type}>();" for name in (("plain", "object") if self.root else ())]
        function = f"{self.root.type}::{'operator()' if self.kind == 'functor' else 'run'}" if self.is_method else "run"
        begin.append(f"graphed::callable<&{function}> callable{'(*object)' if self.is_method else ''};")
        plain, graphed = "run(x)", "callable(x)"
        if self.is_method:
            plain = "(*plain)(x)" if self.kind == "functor" else "plain->run(x)"
        elif self.root:
            given = (PARAMETERS | MODULE_PARAMETERS)[self.parameter][1].replace("H", self.root.name)
            plain, graphed = (f"{name}({given.replace('O', object)}, x)" for name, object in (("run", "plain"), ("callable", "object")))
        calls = [f"return std::vector<{TENSOR}>{{{call}}};" for call in (plain, graphed)]
        changes = [(value, value.form.name, f"{what}, read by {value.way}", statements) for value, what, statements in self.changes()]
        print_play(run, self, begin, calls, changes, said)


def print_play(run, program, begin, calls, changes, said):
    """A function that makes the program's objects and gives them to the player."""
    run.add(f"namespace p{program.seed} {{")
    run.add("void play(hunt::player& player) {")
    for statement in begin:
        run.add(statement)
    run.add(f"player.play({{{program.seed}, {'true' if program.has_gradient else 'false'},")
    for call in calls:
        run.add(f"[&](const {TENSOR}& x) {{ {call} }},")
    run.add("[&] { callable.reset(); }, [&] { return callable.stats(); }, {")
    for value, form, what, _ in changes:
        what = what.replace("\\", "\\\\").replace('"', '\\"')
        names = " ".join([value.name, *sorted(value.names - {value.name})])
        run.add(f'{{"{form}", "{what}", "{said(value)}", "{names}"}},')
    run.add("}, [&](std::size_t which, [[maybe_unused]] int k) {")
    run.add("switch (which) {")
    for which, (*_, statements) in enumerate(changes):
        run.add(f"case {which}: {statements} break;")
    run.add("default: break;")
    run.add("}")
    run.add("}});")
    run.add("}")
    run.add(f"}}  // namespace p{program.seed}")
