"""Test a model adaptively through lm-evaluation-harness, a batch of docs at a time.

Each round runs the docs that the session asks for, by their place in the task
(``--samples``), reads the metric of each from the logged samples and records it. The
task is local and the model a toy, so this runs offline:
``pip install 'skirt[clients]'; python examples/adaptive_lm_eval.py``.
"""

import json
import sys
import tempfile
from pathlib import Path

from adaptive_toy import make_answers, make_bench, make_sums, show
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager


class Refused(Exception):
    """The model's endpoint will not answer this prompt, however often it is asked."""


class ToyLM(LM):
    """A model that calls a function of the question for its answer."""

    def __init__(self, answer):
        super().__init__()
        self._answer = answer

    def generate_until(self, requests, disable_tqdm=False):
        return [self._answer(request.args[0]) for request in requests]

    def loglikelihood(self, requests, disable_tqdm=False):
        raise NotImplementedError("The toy model only generates.")

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError("The toy model only generates.")


def write_task(sums, folder):
    """Write the sums as a task, one doc for each item, in the bank's order."""
    folder = Path(folder).resolve()
    docs = sums.reset_index()[["item", "question", "answer"]]
    docs.to_json(folder / "sums.jsonl", orient="records", lines=True)
    task = {
        "task": "sums",
        "dataset_path": "json",
        "dataset_kwargs": {
            "data_files": {"test": str(folder / "sums.jsonl")},
            "cache_dir": str(folder / "cache"),
        },
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {"until": ["\n"]},
        "metric_list": [
            {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}
        ],
    }
    (folder / "sums.yaml").write_text(json.dumps(task))  # JSON is YAML, too


class Client:
    """Runs docs of one task and returns their responses.

    `names` are the items' names in the order of the task's docs. A task with several
    filters has each doc once for each: `filter_name` says which one counts.
    """

    task, metric, filter_name = "sums", "exact_match", "none"

    def __init__(self, model, names, folder, log_dir):
        self.model = model
        self.names = list(names)
        self.log_dir = str(log_dir)
        self.manager = TaskManager(include_path=str(folder), include_defaults=False)

    def __call__(self, items):
        """Return the response to each item; None where the model refuses."""
        try:
            return self.run_docs(items)
        except Refused as refusal:
            if len(items) == 1:
                print(f"{items[0]}: {refusal}", file=sys.stderr)
                return {items[0]: None}
        # One failing doc ends the whole run of lm-eval: find it by halves.
        middle = len(items) // 2
        return self(items[:middle]) | self(items[middle:])

    def run_docs(self, items):
        tracker = EvaluationTracker(output_path=self.log_dir)
        results = simple_evaluate(
            model=self.model,
            tasks=[self.task],
            # Ascending: lm-eval runs docs in the task's order, but numbers them in the
            # order given.
            samples={self.task: sorted(self.names.index(item) for item in items)},
            # Its cache does not tell one batch's prompts from another's.
            cache_requests=False,
            task_manager=self.manager,
            evaluation_tracker=tracker,
            log_samples=True,
            bootstrap_iters=0,
        )
        samples = results.pop("samples")
        tracker.save_results_aggregated(results, samples)
        tracker.save_results_samples(self.task, samples[self.task])
        return {
            self.names[sample["doc_id"]]: sample[self.metric]
            for sample in samples[self.task]
            if sample["filter"] == self.filter_name
        }


def run(bench, client, *, model="toy", path=None, batch_size=6):
    """Test the model; where a session is at `path`, go on with it."""
    return bench.run(
        client, model=model, path=path, batch_size=batch_size, progress=True
    )


def main():
    sums = make_sums()
    model = ToyLM(make_answers(sums, ability=0.8).__getitem__)
    with tempfile.TemporaryDirectory() as folder:
        write_task(sums, folder)
        client = Client(model, sums.index, folder, log_dir=Path(folder, "logs"))
        show(run(make_bench(sums), client))


if __name__ == "__main__":
    main()
