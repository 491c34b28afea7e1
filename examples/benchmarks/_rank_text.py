"""What the page of `rank_selection.py` says in words."""

DERIVATION = r"""# Choosing items for the ranking by the full score

`FisherSubsetSelector(criterion="rank")` and `AutoSubsetSelector`: why, how, and how
well beside the other selectors. The tables are written by
`examples/benchmarks/rank_selection.py`; to make them again, run

    python examples/benchmarks/rank_selection.py --data FOLDER --splits 20 \
        --maker-splits 2 --panels 80 --models 150 --items 1000

## What is minimised

People rank models by their score on the whole benchmark, not by an ability. Where a
benchmark mixes domains the two differ, and items that measure the one ability best need
not tell the score.

* **The target.** With a bank of D dimensions the expected score of model i is
  g(theta_i) = sum_j w_j P_j(theta_i), w_j the items' weights (`target_weights`; 1 / J
  else). The items S that were answered enter the score as observed. What is unknown of
  it is the rest: its gradient in the abilities is
  c_i(S) = sum over j not in S of w_j P_j (1 - P_j) a_j.
* **What is left unknown.** After S the abilities have the posterior covariance
  Sigma_i(S) = (Phi^-1 + sum over S of I_j(theta_i))^-1, and the observed full score
  has the variance V_i(S) = c_i' Sigma_i(S) c_i + sum over j not in S of
  w_j^2 P_j (1 - P_j): what the abilities leave open, and chance. It falls to 0 as the
  last item is answered.
* **What that costs.** Two models change places if their errors exceed their distance.
  The models that one of them may pass number about f(g_i) times its error, f the
  density of the models' scores, so that the expected displacement in ranks is
  proportional to sum_i f(g_i) sqrt(V_i(S)): `"rank"`. Summing V_i alone (`"score"`)
  spends items on models that stand alone. The density is smoothed by the errors
  themselves, with the bandwidth^2 h^2 + V_i + V_i' for models i and i' (h by
  Silverman's rule), so that the displacement stays bounded at few items; models of
  one family share one weight.
* **The search.** Greedy: each step takes the item after which the sum is least. By
  Sherman and Morrison an item changes V_i by numbers of a' Sigma c and a' Sigma a
  alone, so that all items x models are evaluated by two matrix products. The sum is not
  submodular; nothing is skipped. What that costs is measured below.
* **One dimension** is a special case: f(g) |c| SE(theta) is the density of the
  abilities times the standard error, so that `"rank"` is `"marginal"` with models
  weighted by how many stand near them.
* **Several dimensions are averaged** (1, 2, 3 and 5, as far as the panel has four
  independent models for each): criterion and prediction. Items of the banks with
  several dimensions count as uncertain: an item's curve is averaged over what the
  panel leaves unknown of it, which makes it flatter and its information less, so that
  a dimension which few models show weighs little. Beyond that all banks weigh alike.
* **The prediction** is the mean over the banks of the posterior mean of the score;
  its variance is the mean of V_i plus the variance between the banks.

## The choice of the design

No single design is never behind. `AutoSubsetSelector` splits its own panel 12 times in
halves (families whole), lets three designs choose on one half and rank the other, and
pools their agreement, as Fisher's z, over neighbouring sizes. The designs are the
averaged `"rank"`; the same for 20 items, then random ones; and one-dimensional marginal
Fisher. The best mean alone is, on small panels, mostly the luckiest. So what the splits
say of a design's gain over `"rank"` is weighed against what simulated panels have shown
of it beforehand: with k items, a mean of -.003 k and a variance of .0009 k, up to 50
items. Both are normal, the noise of the splits having the variance for splits that
share models (Nadeau and Bengio 2003), and the design of highest expected gain is taken.
With 15 models the splits rarely outweigh that; with hundreds they decide. The standard
errors are widened so that 90 % intervals hold 90 % of the models held out.
"""

SIMULATED = """
## Simulated panels

The constants above were found on panels simulated for that, not on real sets: 14 to
100 independent models; one to four abilities, correlated .3 to .9; benchmarks of
unequal size; topics with abilities of their own; guessing; models that crowd at the low
end or whose answers to some topics are spoiled; families; traits that help here and
harm there; topics that run against the rest; gaps. These {panels} are others of the
kind, also with 8 models, each with 200 models to rank: mean agreement, and the
difference of `rank` to `marginal` that a tenth of the panels falls short of. `rank, one
bank` has one dimension. Nothing simpler serves better where models are few: also with
8 of them `rank` is ahead of anchor points, disagreement and stratified items at every
size.
"""

GAINS = """
Gain of `marginal` over `rank` on Fisher's z scale in these panels, the errors of 200
models among it. The choice of the design rests on other panels:
"""

LOSES = """
## Where it loses

* **Few independent models, five to twenty items.** On `refusalbench_bio` ten models
  choose among 62 items of which some ought to be answered and some refused, and models
  that refuse all or nothing score alike: the best of random items and anchor points is
  .05, .08 and .05 ahead of `auto` at 5, 10 and 20 items, and .04, .03 and .02 ahead of
  `rank`; every choice by one dimension is farther behind. Among ten models in five
  trials each (`refusalbench_bio_trials`) random items rank better at every size, by .03
  to .01; on `mmlu_pro` (14 models) marginal Fisher at 5 items by .03 and on
  `swebench_verified_bash_only` (14) stratified items by .02. Where at least 20 models
  choose no cell is more than .025 behind the best of its cell as it turned out.
* **The choice of the design costs where ten models make it.** Halves of five tell next
  to nothing: `auto` is behind `rank` on both refusal sets, and level elsewhere. With
  fewer than about 20 independent models take `criterion="rank"` itself.
* **Items needed.** For .90 `auto` takes more than 1.1 times the items of the best other
  method on three sets: `refusalbench_bio` (26, best 17), `refusalbench_bio_trials` (9,
  best 7) and `verbal_aggression` (9, best 7).
* **Models of other makers.** Over the sets whose names tell the makers, stratified
  items are ahead of `rank`. That comes from the two refusal sets, where models differ
  by how their makers want them to refuse; over the other six they are level. With few
  makers and two splits of each set these figures are rough.
* **Errors of scores predicted from chosen items.** The greedy choice seeks items whose
  parameters look best, also by chance, and items of one topic resemble each other more
  than few dimensions tell. The intervals of `FisherSubsetSelector(criterion="rank")`,
  which rest on the bank alone, are therefore too narrow. Random items after the first
  20 are honest in this respect, though they rank a little worse.
* **The choice inside the panel is noisy.** The designs differ by hundredths, and halves
  of 30 models tell such differences badly: the choice is `"rank"` nearly always.
* **Time.** The comparison calibrates each bank 12 times: see below.
"""

PROTOCOL = """
## Protocol

{splits} random half splits of the models of each set with at least 20 independent
ones, variants of a model together, the same for all methods; Spearman's rho on the
half that did not choose, with the full-benchmark score (with gaps, observed answers as
observed and expected ones under one dimension, which favours the one-dimensional
methods). Of larger sets a seeded sample of {models} models and {items:,} items stands
in. `random` is the mean of random items, averaged over {draws} draws a split; `random +
ridge` regresses the full score on random items ({ridges} draws). Everything has its
defaults; nothing was tuned to these sets, of which several had been looked at in
development. {minutes} minutes of one core for these splits. In `refusalbench_bio`
prompts that ought to be answered count as wanted if they were, those to be refused if
they were not, and prompts of unclear tiers are left out.
"""

TABLES = """
## Agreement on models that did not choose
"""

RIVAL = """
### Against the best other method as chosen on other splits

Mean paired difference, over cells, to the one of the seven other methods that was best
on the *other* splits of the same cell; sets resampled. The worst of many cells is
mostly the unluckiest. `shrunken` is the worst after each cell's mean is drawn towards
the mean of all by as much as the draw of the splits may have moved it (empirical
Bayes); that the splits share models is not counted, which would draw all methods much
further. `worst again` needs no such model: the cell that is worst on half of the
splits, measured on the others (a little kindly, as each split's rival is chosen on the
rest). The last columns are means over the sets with few and with more independent
models, of which half choose.
"""

NEEDED = """
### Items needed for an agreement of .90

The size at which the mean agreement reaches .90 and stays there, interpolated in log k;
`-` where the largest size tested does not reach it. The aim is that `auto` needs at
most half of the best other method where neither random items nor one dimension get
there by 50 items, which holds on {hard} such sets, and at most 1.1 times the best
elsewhere, which holds on {easy}.
"""

MAKERS = """
### Makers whose models did not choose

Where names tell who made (the base of) a model, halves without a maker on both sides:
mean agreement over the sizes. The halves are as unequal as the makers.
"""

PREDICTION = """
## The predicted full score

Mean absolute error, in points of 100, of the score predicted from 100 items, for
held-out models that answered everything, and the share of them in the 90 % intervals.
`p-IRT` is `FisherSubsetSelector(ranking="score")`: answers as observed, the rest
expected under one dimension (after Polo et al. 2024), on the items of marginal
Fisher. p-IRT and gp-IRT on *anchor points*, as in their paper, are farther behind in
rank with few items, and with 100 nearer to the score than `rank` and `auto` are:
[Predicting the full score](predicted_score.md).
"""

COST = """
## Time and memory

200 items chosen for 100 simulated models (four abilities), one processor core:
`marginal` and `rank` with banks that are calibrated already, of one ability and of
four, `auto` with all its calibrations. Memory is the peak while choosing by `rank`, in
units of the responses as float64, so that a figure that does not grow is linear in
models x items.
"""
