# SPDX-License-Identifier: Apache-2.0
"""What a run gathers, and the file that it writes."""
import json
import statistics

import figures


def summary(answers, figure):
    """Of answers that are a number, or the samples of several rounds."""
    found = [answer.get(figure) for answer in answers]
    values = [statistics.median(each) if isinstance(each, list) else each for each in found]
    return figures.summary(values, [each if isinstance(each, list) else None for each in found])


def lines(rows):
    return "[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n ]"


class Results:
    """The answers, by device, workload and peer, one for each repetition."""

    def __init__(self, described):
        self.described, self.cells = described, {}

    def add(self, device, workload, kind, peer, answer):
        cell = self.cells.setdefault((device, workload, peer), {"kind": kind, "answers": []})
        cell["answers"].append(answer)

    def rows(self):
        for (device, workload, peer), cell in self.cells.items():
            row = {"device": device, "workload": workload, "kind": cell["kind"], "peer": peer}
            answers = cell["answers"]
            for word in ("absent", "error"):
                said = [answer[word] for answer in answers if word in answer]
                if said:
                    row[word] = said[-1]
            for figure in figures.FIGURES:
                row[figure] = summary(answers, figure)
            yield row

    def ratios(self, rows):
        """Of each peer to graphed: above 1, graphed takes less."""
        by_name = {(row["device"], row["workload"], row["peer"]): row for row in rows}
        for (device, workload, peer), row in by_name.items():
            graphed = by_name.get((device, workload, "graphed"))
            if graphed is None or peer == "graphed":
                continue
            for figure in ("host_us", "wall_us", "gpu_us", "peak_bytes", "reserved_bytes"):
                found = figures.ratio(row[figure], graphed[figure])
                if found:
                    yield {"device": device, "workload": workload, "peer": peer, "figure": figure, **found}

    def write(self, path):
        rows = list(self.rows())
        head = json.dumps(self.described, indent=1).removesuffix("\n}")
        path.write_text(f'{head},\n "results": {lines(rows)},\n "ratios": {lines(self.ratios(rows))}\n}}\n')
