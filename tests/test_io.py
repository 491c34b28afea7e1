"""Reading tables: what is a response, what is missing, what is refused and where."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

from skirt.io import read_responses, read_subset, write_subset

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
    assert found.layout == layout


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


def test_truth_values_and_other_numbers_pass():
    found = read("model,a,b,c\nx,True,FALSE,0.25\n")
    assert found.responses.iloc[0].tolist() == [1, 0, 0.25]
    assert any("True" in note for note in found.notes)


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
        (gzip.compress(WIDE.encode())[:-12], "cannot be unpacked"),
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
    assert found.layout == "wide"
    assert found.responses.shape == (2, 6)
    long = "model,item,response,a,b,c\nx,q,1,,,\nx,r,0,,,\n"
    assert read(long).layout == "long"
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
        read_subset(path), table, check_index_type=False, check_exact=True
    )
    with pytest.raises(ValueError, match="'item'"):
        read_subset(io.StringIO("name\nx\n"))
