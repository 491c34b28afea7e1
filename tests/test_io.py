"""Reading tables: what is a response, what is missing, what is refused and where."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skirt.io import (
    Subset,
    calibration_fingerprint,
    read_responses,
    read_subset,
    write_subset,
)

WIDE = "model,q1,q2,q3\nsmall,0,,1\nlarge,1,1,0\n"
LONG = (
    "Item,Response,MODEL\nq1,0,small\nq2,,small\nq3,1,small\n"
    "q1,1,large\nq2,1,large\nq3,0,large\n"
)
EXPECTED = pd.DataFrame(
    [[0, np.nan, 1], [1, 1, 0]],
    index=pd.Index(["small", "large"], name="model", dtype=object),
    columns=["q1", "q2", "q3"],
    dtype=float,
)


def read(text, **options):
    return read_responses(io.StringIO(text), **options)


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (WIDE, "wide"),
        (WIDE.replace(",", "\t"), "wide"),
        (WIDE.replace(",", ";"), "wide"),
        ("\ufeff" + WIDE.replace("\n", "\r\n"), "wide"),
        (WIDE.replace("small", '"small"').replace("q1", '"q1"'), "wide"),
        (LONG, "long"),
    ],
)
def test_every_form_of_the_same_table_reads_alike(text, layout):
    found = read(text)
    pd.testing.assert_frame_equal(found.responses, EXPECTED)
    assert found.format == f"{layout} table"


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_files_are_known_by_content_not_by_name(tmp_path, pack):
    path = tmp_path / "table.txt"
    path.write_bytes(pack(WIDE.encode()))
    pd.testing.assert_frame_equal(read_responses(path).responses, EXPECTED)


@pytest.mark.parametrize("index", [True, False])
def test_parquet_wide_with_names_in_the_index_or_in_a_column(tmp_path, index):
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    (EXPECTED if index else EXPECTED.reset_index()).to_parquet(path)
    pd.testing.assert_frame_equal(read_responses(path).responses, EXPECTED)


@pytest.mark.parametrize("cell", ["", "NA", "nan", "NaN", "None", "NULL", " "])
def test_what_is_missing(cell):
    assert np.isnan(read(f"model,a,b\nx,{cell},1\n").responses.iloc[0, 0])


def test_truth_values_are_told_and_other_numbers_need_a_threshold():
    text = "model,a,b,c\nx,True,FALSE,0.25\ny,,0,2\n"
    with pytest.raises(ValueError, match=r"line 2, .*'x'.*'c': 0.25 .*binarize=t"):
        read(text)
    found = read(text, binarize=0.25)
    np.testing.assert_array_equal(found.responses, [[1, 0, 0], [np.nan, 0, 1]])
    assert any("True" in note for note in found.notes)
    assert any("Values above 0.25 count as 1" in note for note in found.notes)
    with pytest.raises(ValueError, match="binarize is a finite number"):
        read(text, binarize=float("nan"))


def test_words_mean_what_the_caller_says():
    values = {"refused": 1, "complied": 0, "error": None}
    text = "model,a,b,c\nx,refused,complied,error\n"
    with pytest.raises(ValueError, match="'refused' is not a response.*values="):
        read(text)
    found = read(text, values=values).responses
    np.testing.assert_array_equal(found, [[1, 0, np.nan]])


FORMS = {
    "json lines, long": (
        '{"model": "small", "item": "q1", "response": 0}\n'
        '{"model": "small", "item": "q2", "response": null}\n\n'
        '{"item": "q3", "model": "small", "response": true}\n'
        '{"model": "large", "item": "q1", "response": 1}\n'
        '{"model": "large", "item": "q2", "response": 1.0}\n'
        '{"model": "large", "item": "q3", "response": "0"}\n'
    ),
    "json lines, wide": (
        '{"model": "small", "q1": 0, "q3": 1, "q2": null}\n'
        '{"model": "large", "q1": 1, "q2": 1, "q3": false}\n'
    ),
    "json array": (
        '[\n {"model_name": "small", "question_id": "q1", "correct": false},'
        '{"model_name": "small", "question_id": "q3", "correct": true},\n'
        '{"model_name": "large", "question_id": "q1", "correct": true},'
        '{"model_name": "large", "question_id": "q2", "correct": true},'
        '{"model_name": "large", "question_id": "q3", "correct": false}]\n'
    ),
    "items in rows": "item,small,large\nq1,0,1\nq2,,1\nq3,1,0\n",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_further_forms_of_the_same_table(text):
    found = read(text).responses[["q1", "q2", "q3"]]
    pd.testing.assert_frame_equal(found, EXPECTED)


def test_the_wide_tables_of_fluid_benchmarking():
    text = ",amber,pythia\narc_0,1,0\narc_1,0,0.5\nmmlu_law_0,1,1\nmmlu_law_1,0,1\n"
    found = read(text, binarize=0.5)
    assert found.responses.index.tolist() == ["amber", "pythia"]
    assert found.item_table["benchmark"].tolist() == ["arc"] * 2 + ["mmlu_law"] * 2
    np.testing.assert_array_equal(found.responses, [[1, 0, 1, 0], [0, 0, 1, 1]])
    assert any("numbered arc_0, arc_1" in note for note in found.notes)
    as_models = read(text, binarize=0.5, items="columns").responses
    assert as_models.index.tolist() == found.responses.columns.tolist()
    np.testing.assert_array_equal(as_models, found.responses.T)
    # Checkpoints of a model are numbered too, but not one by one.
    steps = read(",q1,q2\ns_100,1,0\ns_200,0,0\ns_300,1,1\n").responses
    assert steps.index.tolist() == ["s_100", "s_200", "s_300"]


def test_benchmarks_and_facts_of_a_long_table():
    text = (
        "model,benchmark,example_id,correct,subject,tier\n"
        "x,org/sums,1,1,easy,a\nx,words,1,0,hard,a\ny,org/sums,1,0,easy,b\n"
    )
    found = read(text)
    assert found.responses.columns.tolist() == ["org.sums/1", "words/1"]
    table = found.item_table
    assert table["benchmark"].tolist() == ["org/sums", "words"]
    assert table["item"].tolist() == ["1", "1"]
    assert table["subject"].tolist() == ["easy", "hard"]
    assert any("'tier' varies" in note for note in found.notes)
    assert any("1 of 4" in note for note in found.notes)


def test_roles_of_columns_can_be_named():
    text = "prompt,llm,verdict,a,b,c,d\nq,x,1,,,,\nq,y,0,,,,\n"
    roles = {"item": "prompt", "model": "llm", "response": "verdict"}
    found = read(text, columns=roles, benchmark="sums").responses
    assert found.columns.tolist() == ["sums/q"]
    assert found["sums/q"].tolist() == [1, 0]
    with pytest.raises(ValueError, match="no single column 'who'"):
        read(text, columns={**roles, "model": "who"})
    with pytest.raises(ValueError, match="the keys are model"):
        read(text, columns={"person": "llm"})


REPEATS = "model,item,response\nx,a,\nx,a,1\nx,a,0\nx,b,0\nx,b,1\nx,b,1\ny,a,1\n"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"duplicates": "first"}, [[1, 0], [1, np.nan]]),
        ({"duplicates": "mean", "binarize": 0.4}, [[1, 1], [1, np.nan]]),
        ({"duplicates": "mean", "binarize": 0.5}, [[0, 1], [1, np.nan]]),
        ({"duplicates": "majority"}, [[np.nan, 1], [1, np.nan]]),
    ],
)
def test_repeated_responses_need_a_rule(rule, expected):
    found = read(REPEATS, **rule)
    np.testing.assert_array_equal(found.responses, expected)
    assert any("2 pairs of model and item have more than one" in n for n in found.notes)
    assert any("1 of 4 pairs" in n for n in found.notes)
    tied = [note for note in found.notes if "without a majority" in note]
    assert len(tied) == (rule["duplicates"] == "majority")


def test_repeated_responses_without_a_rule():
    with pytest.raises(ValueError, match=r"line 2 and again in line 3 \(4 such.*first"):
        read(REPEATS)
    with pytest.raises(ValueError, match=r"mean.*'x'.*'a' is 0.5 .*binarize"):
        read(REPEATS, duplicates="mean")
    with pytest.raises(ValueError, match="duplicates is one of"):
        read(REPEATS, duplicates="last")
    wide = read("model,a,b\nx,1,0\nx,0,0\n", duplicates="first").responses
    assert wide.to_numpy().tolist() == [[1, 0]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.integers(0, 3),
            st.sampled_from(["", "0", "1", "0.25", "0.75"]),
        ),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from(["first", "mean", "majority"]),
    st.sampled_from([0.0, 0.3, 0.5]),
)
def test_rules_against_a_reading_cell_by_cell(rows, rule, t):
    lines = [f"m{m},q{j},{value}\n" for m, j, value in rows]
    text = "model,item,response\n" + "".join(lines)
    found = read(text, duplicates=rule, binarize=t).responses
    cells: dict = {}
    for m, j, value in rows:
        cells.setdefault((f"m{m}", f"q{j}"), []).append(value)
    for model in found.index:
        for item in found.columns:
            graded = [float(v) for v in cells.get((model, item), []) if v]
            ones = [v > t for v in graded]
            if not graded or (rule == "majority" and 2 * sum(ones) == len(ones)):
                assert np.isnan(found.loc[model, item])
            elif rule == "first":
                assert found.loc[model, item] == ones[0]
            elif rule == "majority":
                assert found.loc[model, item] == (2 * sum(ones) > len(ones))
            else:
                assert found.loc[model, item] == (sum(graded) / len(graded) > t)


def test_parquet_with_pandas_own_missing_value(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    EXPECTED.astype("Int64").reset_index().to_parquet(path)
    pd.testing.assert_frame_equal(read_responses(path).responses, EXPECTED)


def test_a_long_read_of_many_chunks_keeps_lines_and_order():
    n = 20_000
    lines = [f"m{i % 7},q{i // 7},{i % 2}\n" for i in range(n)]
    found = read("model,item,response\n" + "".join(lines)).responses
    assert found.index.tolist() == [f"m{i}" for i in range(7)]
    assert found.loc["m3", "q2000"] == (2000 * 7 + 3) % 2
    lines[17_000] = "m0,q0,maybe\n"
    with pytest.raises(ValueError, match="line 17002.*'maybe'"):
        read("model,item,response\n" + "".join(lines))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("model,a,b\nx,1,0\ny,1,right\n", ["line 3", "'y'", "'b'", "'right'"]),
        ("model,a,b\nx,1,inf\n", ["line 2", "'x'", "'b'", "'inf'"]),
        ("model,item,response\nx,a,1\nx,b,??\n", ["line 3", "'x'", "'b'", "'??'"]),
        ("model,a,b\nx,1,0\ny,1\n", ["line 3", "2 fields", "3", "cut off"]),
        ("model,a,b\nx,1,0,1\n", ["line 2", "4 fields", "more"]),
        ("model,a,b\nx,1,0\ny,0,0\nx,1,1\n", ["'x'", "line 2", "line 4"]),
        (
            "model,item,response\nx,a,1\ny,a,0\nx,a,1\n",
            ["'x'", "'a'", "line 2", "line 4"],
        ),
        ("model,a,b,a\nx,1,0,1\n", ["'a'", "column 2", "column 4"]),
        ("model,a,\nx,1,0\n", ["column 3", "header is empty"]),
        ("model,a\n,1\n", ["line 2", "no model name"]),
        ("llm,prompt,correct\nx,a,1\nx,b,0\n", ["'x'", "model, item, response"]),
        ("prompt,llm,ok\na,x,1\nb,x,1\na,y,0\n", ["line 4", "model, item, response"]),
        ("", ["empty"]),
        ("model,a,b\n", ["no rows"]),
        ("model\nx\n", ["no items"]),
        ('model,a\nx,1\ny,"1\n', ["line 3", "quotation mark"]),
    ],
)
def test_what_is_refused_and_where(text, told):
    with pytest.raises(ValueError, match=r".") as caught:
        read(text)
    for part in told:
        assert part in str(caught.value)


def test_a_line_is_counted_as_an_editor_counts_it():
    text = 'model,a\n"two\nlines",1\nx,1\ny,wrong\n'
    with pytest.raises(ValueError, match="line 5.*'wrong'"):
        read(text)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (gzip.compress(WIDE.encode(), mtime=0)[:-12], "cannot be unpacked"),
        (b"model,a\nx\xff,1\n", "UTF-8"),
        (b"PAR1 but not really", "damaged Parquet"),
    ],
)
def test_damaged_files(content, told):
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=told):
        read_responses(io.BytesIO(content))


def test_a_counter_names_the_models():
    found = read(",a,b\n0,1,0\n1,0,\n")
    assert found.responses.index.tolist() == ["0", "1"]
    assert any("counter" in note for note in found.notes)


def test_a_counter_before_the_names_is_ignored_and_told():
    found = read(",model,a,b\n0,x,1,0\n1,y,0,\n")
    assert found.responses.index.tolist() == ["x", "y"]
    assert found.responses.columns.tolist() == ["a", "b"]
    assert any("ignored" in note for note in found.notes)


def test_nothing_is_left_out_without_a_note():
    wide = read("model,a,\nx,1,\n\ny,0,\n")
    assert wide.responses.shape == (2, 1)
    assert len(wide.notes) == 2
    long = read("model,item,response,latency\nx,a,1,3.5\ny,b,0,2\n")
    assert "'latency'" in long.notes[0]
    assert "2 of 4" in long.notes[1]


def test_a_wide_table_may_have_items_called_like_the_columns_of_a_long_one():
    found = read("model,item,response,a,b,c,d\nx,1,0,1,1,0,\ny,0,0,1,0,1,1\n")
    assert found.format == "wide table"
    assert found.responses.shape == (2, 6)
    long = "model,item,response,a,b,c\nx,q,1,,,\nx,r,0,,,\n"
    assert read(long).format == "long table"
    with pytest.raises(ValueError, match="at most 3 others"):
        read("model,item,response,a,b,c,d\nx,q,1,,,,\nx,r,0,,,,\n")


def test_groups_come_out_of_the_items():
    wide = read("model,family,a,b\nx,f,1,0\ny,g,0,1\n", groups="family")
    assert wide.responses.columns.tolist() == ["a", "b"]
    assert wide.groups.to_dict() == {"x": "f", "y": "g"}
    long = "model,item,response,family\nx,a,1,f\ny,a,0,g\nx,b,1,{}\n"
    assert read(long.format("f"), groups="family").groups.to_dict() == {
        "x": "f",
        "y": "g",
    }
    with pytest.raises(ValueError, match="line 4.*'h'.*'f'"):
        read(long.format("h"), groups="family")


def test_a_subset_keeps_names_that_look_like_numbers_or_gaps(tmp_path):
    path = tmp_path / "subset.csv"
    table = pd.DataFrame(
        {"order": [1, 2, 3], "difficulty": [0.5, -1.25, 1 / 3]},
        index=pd.Index(["007", "NA", 'a "quoted", name'], name="item", dtype=object),
    )
    write_subset(table, path)
    pd.testing.assert_frame_equal(
        read_subset(path).table, table, check_index_type=False, check_exact=True
    )
    with pytest.raises(ValueError, match="'item'"):
        read_subset(io.StringIO("name\nx\n"))


@pytest.fixture
def subset():
    """Items of two benchmarks, with all that is known of a subset."""
    table = pd.DataFrame(
        {"order": [1, 2, 3, 4], "discrimination": [1, 2, 0.5, 1.5]},
        index=pd.Index(["sums/11", "words/3", "sums/7", "sums/02"], name="item"),
    )
    table["difficulty"] = [0.1, -1 / 3, 2.0, 0.0]
    return Subset(table, 0.9125, "1e5", "2026-01-31", "0.1.0")


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_what_is_known_of_a_subset_survives_its_file(tmp_path, subset, ending):
    path = tmp_path / f"subset.{ending}"
    write_subset(subset, path)
    again = read_subset(path)
    pd.testing.assert_frame_equal(
        again.table, subset.table, check_index_type=False, check_exact=True
    )
    for name in ("agreement", "calibration", "date", "skirt_version"):
        assert getattr(again, name) == getattr(subset, name)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1] if ending == "csv" else lines[:-3]))
    with pytest.raises(ValueError, match=rf"subset.{ending}.*(cut off|no whole JSON)"):
        read_subset(path)


def test_a_subset_tells_its_calibration_and_gives_a_bank(tmp_path, subset):
    bank = subset.bank()
    answers = pd.DataFrame([[1, 0, 1, 0]], columns=subset.items)
    assert np.isfinite(bank.predict(answers)).all()
    path = tmp_path / "subset.csv"
    write_subset(subset.table, path, calibration=bank, agreement=0.5)
    again = read_subset(path)
    assert again.calibration == calibration_fingerprint(again.bank())
    assert (again.agreement, again.k) == (0.5, 4)
    other = subset.table.assign(difficulty=[0.1, -1 / 3, 2.0, 0.001])
    assert again.calibration != calibration_fingerprint(Subset(other).bank())


def test_a_subset_goes_back_to_the_tools(subset):
    assert subset.to_lm_eval() == {"sums": [2, 7, 11], "words": [3]}
    assert subset.to_inspect() == ["sums:11", "words:3", "sums:7", "sums:02"]
    assert subset.to_inspect("sums") == ["11", "7", "02"]
    with pytest.raises(ValueError, match=r"'letters'.*sums, words"):
        subset.to_inspect("letters")
    plain = Subset(pd.DataFrame(index=pd.Index(["5", "a*[1]"], name="item")))
    assert plain.to_inspect() == ["5", "a[*][[]1]"]
    with pytest.raises(ValueError, match="'5'.*give the task"):
        plain.to_lm_eval()
    with pytest.raises(ValueError, match=r"'a\*\[1\]'"):
        plain.to_lm_eval("sums")
    with pytest.raises(ValueError, match="'x' is in the subset more than once"):
        Subset(pd.DataFrame(index=["x", "y", "x"]))
