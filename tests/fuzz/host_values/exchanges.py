# SPDX-License-Identifier: Apache-2.0
#
# Programs in which a callable changes what others see: a list or dictionary that is a handle, and a member that another callable reads.
import random

from objects import TENSOR
from programs import print_play

HANDLES = {
    "c10::Dict": (f"c10::Dict<std::string, {TENSOR}>", "{a: f32[4, 3]}", "values::tensors_like(x)", (
        'd.insert("b", x * 2);', 'd.insert_or_assign("a", x + 1);', 'd.insert_or_assign("a", x + d.at("a"));', 'static_cast<void>(d.erase("a"));', "d.clear();")),
    "c10::List": (f"c10::List<{TENSOR}>", "f32[4, 3] * 2", "values::list_like(x)", (
        "d.push_back(x * 2);", "d.set(0, x + 1);", "d.set(1, x + d.get(0));", "d.pop_back();", "d.clear();")),
}
ASSIGNED = ("v = v * 0.5 + x.mean(0);", "v = x.detach()[0] + 1;", "v = v + 1;")


class Subject:
    """What a finding is about."""

    def __init__(self, name):
        self.name, self.names, self.places = name, {name}, set()


class Exchange:
    def __init__(self, seed):
        self.seed = seed
        self.has_gradient = False
        self.dice = random.Random(seed)
        self.subject = Subject(f"v{seed}_1")
        self.body_elsewhere = self.dice.randrange(2) == 0

    def print(self, header, bodies, elsewhere):
        sources = (header, bodies, elsewhere)
        for source in sources:
            source.add(f"namespace p{self.seed} {{")
        self.print_callables(header, elsewhere if self.body_elsewhere else bodies)
        for source in sources:
            source.add(f"}}  // namespace p{self.seed}")


class Handle(Exchange):
    """An argument whose copies share their elements: what the body changes reaches the caller."""

    def __init__(self, seed):
        super().__init__(seed)
        self.form = self.dice.choice(list(HANDLES))
        self.type, self.annotation, self.given, effects = HANDLES[self.form]
        self.effect = self.dice.choice(effects)
        self.reference = self.dice.choice(("", "&", " const&"))

    def print_callables(self, header, bodies):
        signature = f"void change_{self.subject.name}([[maybe_unused]] const {TENSOR}& x, {self.type} d)"
        header.add(f"{signature};", self.subject)
        bodies.add(f"{signature} {{ {self.effect} }}", self.subject)
        header.add(f"GRAPHED(x: f32[4, 3], {self.subject.name}: {self.annotation}; warmup = 1)")
        header.add(f"inline {TENSOR} run(const {TENSOR}& x, {self.type}{self.reference} {self.subject.name}) {{", self.subject)
        if self.body_elsewhere:
            header.add(f"change_{self.subject.name}(x, {self.subject.name});", self.subject)
        else:
            header.add(self.effect.replace("d.", self.subject.name + "."), self.subject)
        header.add("return x + 1;")
        header.add("}")

    def print_run(self, run, said):
        calls = [f"auto d = {self.given}; const auto y = {name}(x, d); return values::with(y, d);" for name in ("run", "callable")]
        changes = [(self.subject, f"{self.form} that is given", self.effect, "")]
        print_play(run, self, ["graphed::callable<&run> callable;"], calls, changes, said)


class Assigned(Exchange):
    """A member that one callable assigns and another one reads."""

    def __init__(self, seed):
        super().__init__(seed)
        self.is_module = self.dice.randrange(2) == 0
        self.assigned = self.dice.choice(ASSIGNED).replace("v", self.subject.name)

    def print_callables(self, header, bodies):
        name = self.subject.name
        header.add(f"struct Root{' : torch::nn::Module' if self.is_module else ''} {{")
        header.add(f"{TENSOR} {name} = values::row(0);", self.subject)
        header.add("GRAPHED(x: f32[4, 3]; warmup = 1)")
        if self.body_elsewhere:
            header.add(f"void learn(const {TENSOR}& x);", self.subject)
            bodies.add(f"void Root::learn([[maybe_unused]] const {TENSOR}& x) {{ {self.assigned} }}", self.subject)
        else:
            header.add(f"void learn([[maybe_unused]] const {TENSOR}& x) {{ {self.assigned} }}", self.subject)
        header.add("GRAPHED(x: f32[4, 3]; warmup = 1)")
        header.add(f"{TENSOR} run(const {TENSOR}& x) {{ return x * {name}; }}", self.subject)
        header.add("};")

    def print_run(self, run, said):
        begin = ["const auto plain = hunt::make<Root>(), object = hunt::make<Root>();",
                 "graphed::callable<&Root::run> callable(*object);", "graphed::callable<&Root::learn> learn(*object);"]
        name = self.subject.name
        calls = [f"{learn}(x); const auto y = {act}(x); return std::vector<{TENSOR}>{{y, {object}->{name}}};"
                 for learn, act, object in (("plain->learn", "plain->run", "plain"), ("learn", "callable", "object"))]
        changes = [(self.subject, "member that another callable assigns", self.assigned, f"plain->{name} = values::row(k); object->{name} = values::row(k);")]
        print_play(run, self, begin, calls, changes, said)
