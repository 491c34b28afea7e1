"""Test a model adaptively through Inspect AI, a batch of samples at a time.

Each round runs the samples that the session asks for, by their id, reads the scores
from the log and records them. Inspect's mock model stands in for a real one, so this
runs offline: ``pip install 'skirt[clients]'; python examples/adaptive_inspect.py``.
"""

import tempfile

from adaptive_toy import make_answers, make_bench, make_sums, show
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, includes
from inspect_ai.solver import generate

SCORER = "includes"
# Inspect's accuracy counts no answer as wrong, too. Partial credit has no place here.
RESPONSES = {CORRECT: 1, INCORRECT: 0, NOANSWER: 0}


def make_task(sums):
    """Return the sums as a task. The samples' ids are the items of the bank."""
    samples = [
        Sample(id=item, input=row.question, target=row.answer)
        for item, row in zip(sums.index, sums.itertuples(), strict=True)
    ]
    return Task(
        dataset=MemoryDataset(samples),
        name="sums",
        solver=generate(),
        scorer=includes(),
    )


def make_model(answer):
    """Return a mock model; `answer` takes a question and returns a text."""

    def respond(messages, tools, tool_choice, config):
        output = ModelOutput.from_content("toy", answer(messages[-1].text))
        # Left to itself the mock counts tokens with a tokenizer that it downloads.
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/toy", custom_outputs=respond, memoize=False)


def ask(items, task, model, log_dir):
    """Run the samples with these ids; return each one's response."""
    (log,) = inspect_eval(
        task,
        model=model,
        sample_id=list(items),
        epochs=1,
        fail_on_error=False,  # an error in one sample must not cost the others
        log_dir=log_dir,
        display="none",
    )
    if log.status != "success":
        raise RuntimeError(f"The run in {log.location} ended with {log.status!r}.")
    responses = {str(sample.id): read_response(sample) for sample in log.samples}
    # Inspect only warns of an id that it does not find, and reads * ? [ in ids as
    # patterns.
    if set(responses) != set(items):
        strange = sorted(set(responses) ^ set(items))
        raise RuntimeError(f"Asked for and run differ by {strange} in {log.location}.")
    # What is recorded as None is never asked again. Where nothing works it is the
    # connection: stop here, and the same items come first when the session goes on.
    if len(items) > 1 and set(responses.values()) == {None}:
        raise RuntimeError(f"All {len(items)} samples in {log.location} failed.")
    return responses


def read_response(sample):
    """Return 1 or 0, or None for a sample that ended with an error."""
    if sample.error is not None:
        return None
    value = sample.scores[SCORER].value
    if value not in RESPONSES:
        raise ValueError(
            f"Sample {sample.id!r} has the score {value!r}: it takes one of "
            f"{list(RESPONSES)}."
        )
    return RESPONSES[value]


def run(bench, task, model, log_dir, *, path=None, batch_size=6):
    """Test the model; where a session is at `path`, go on with it."""
    return bench.run(
        lambda items: ask(items, task, model, log_dir),
        model=str(model),
        path=path,
        batch_size=batch_size,
        progress=True,
    )


def main():
    sums = make_sums()
    model = make_model(make_answers(sums, ability=0.8).__getitem__)
    with tempfile.TemporaryDirectory() as log_dir:
        show(run(make_bench(sums), make_task(sums), model, log_dir))


if __name__ == "__main__":
    main()
