"""What the page of `predicted_score.py` says around its tables."""

# In the order of the tables.
METHODS = (
    "random",
    "random + ridge",
    "mean of rank's items",
    "mean of select's items",
    "anchor points",
    "p-IRT",
    "gp-IRT",
    "rank",
    "auto",
    "select, fisher",
    "select, anchor",
)

BEFORE = """\
# Predicting the full score from 100 items

How far off are full-benchmark scores that are predicted from 100 items, for models
that neither chose nor calibrated them? Written by
`examples/benchmarks/predicted_score.py`; to make the tables again, run

    python examples/benchmarks/predicted_score.py --data FOLDER --page PAGE

## Methods

* **random**: the mean of random items (averaged over 20 draws), with the usual
  interval of a proportion; **random + ridge** regresses the full score on them (5
  draws).
* **mean of rank's items**, **mean of select's items**: the plain mean of chosen items.
* **anchor points**: `AnchorPointSelector`, the mean weighted by the clusters' sizes.
* **p-IRT**, **gp-IRT**: the estimators of Polo et al. (2024), tinyBenchmarks, from the
  same anchor points: `AnchorPointSelector(prediction="p-irt")` and `"gp-irt"`. p-IRT
  counts answers as observed and the others as the item response model expects them;
  gp-IRT is w times the weighted mean of the anchors and 1 - w times p-IRT, w = b^2 /
  (v / 4k + b^2), v the mean variance of a model's answers and b the mean error of the
  item response model on every fifth training model or family. As in their code the
  number of abilities is the smallest whose b is within .0025 of the best; of 1, 2 and 5
  here, as far as there are four training models for each. Unlike theirs, answers are
  expected over the abilities' posterior, not at their maximum likelihood, and there are
  intervals, lengthened by what was found on fifths of the training models held out.
* **rank**, **auto**: `FisherSubsetSelector(criterion="rank")` and `AutoSubsetSelector`
  (6 halvings inside the training models).
* **select, fisher**, **select, anchor**: `skirt select -k 100 -o subset.json`, as it
  is and with `--method anchor`, then `skirt score`: the posterior mean of the full
  score, averaged over banks of 1, 2, 3 and 5 abilities, with an interval that is
  widened by what was found on models held out inside the training half.

## Protocol

All public sets with at least 500 items, {splits} random half splits of their models,
families whole, the same for all methods. One half chooses and calibrates; of the other
all models that answered at least 99 % of the items are predicted. Of more than
{items:,} items or {models} models a seeded sample stands in. Sets with fewer than
{fewest} independent models to calibrate on are marked and averaged apart. Everything
has its defaults, but the comparison of methods by which items predict scores best was
made on some of these sets. {minutes} minutes of one core.
"""

AFTER = """
## What this says

* **Polo et al. report an error of about 2 points** with 100 items for each scenario of
  their benchmarks, with hundreds of models to train on. On the sets of enough models
  here, half of the models train: 14 to 67 of them.
* **To predict scores take anchor points and an item response model**, be it p-IRT or
  `skirt select --method anchor` with `skirt score`; both give intervals. `rank`
  and `select, anchor` average the same banks, only the items differ: items whose curves
  look sharpest partly look so by chance, so that predictions from them are farther off
  and intervals that rest on the bank alone too narrow. Anchor points stand for clusters
  of all items. They rank as well at 100 items; with fewer, "rank" is ahead.
* **gp-IRT** is nearer than p-IRT on some sets. On average over those of enough models
  it is a little nearer with 50 items, and a little farther off with 100 and 200.
* **The plain mean of chosen items is no estimate of the score**: they are chosen to be
  neither easy nor hard.
* **Intervals** of p-IRT, gp-IRT, `auto` and `skirt score` hold on the sets of enough
  models, on each by and large, because they were widened by errors on held-out models,
  some more than they had to be.
* **Some panels are too small.** Six models, or trials of two, do not tell how a model
  of another kind will answer. Intervals from the bank alone (`rank`, `auto`) hardly
  ever hold; those of p-IRT, gp-IRT and `skirt score`, widened by models left out,
  held .67 to 1.00, and are so wide that they tell little. Random items assume
  nothing: their mean is then as near as any, or much nearer, and its interval holds.
  With nine families to train on (`nlu_test_sets`) these intervals held; that is one
  data set, and no rule.
"""
