"""What the page of `rank_selection.py` says in words."""

DERIVATION = r"""# Choosing items for the ranking by the full score

`FisherSubsetSelector(criterion="rank")` and `AutoSubsetSelector`: why, how, and how
well beside the other selectors. The tables are written by
`examples/benchmarks/rank_selection.py`; to make them again, run

    python examples/benchmarks/rank_selection.py --data FOLDER --splits 20

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
  has the variance V_i(S) = c_i' Sigma_i(S) c_i + sum over j not in S of w_j^2 P_j (1
  - P_j): what the abilities leave open, and chance. It falls to 0 as the last item is
  answered.
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
  submodular; nothing is skipped. 200 of 12,000 items, for 100 models under four
  dimensions, take 4 s of one processor core.
* **One dimension** is a special case: f(g) |c| SE(theta) is the density of the
  abilities times the standard error, so that `"rank"` is `"marginal"` with models
  weighted by how many stand near them.
* **Several dimensions are averaged** (1, 2, 3 and 5, as far as the panel has four
  independent models for each): criterion and prediction. Items of the banks with
  several dimensions count as uncertain: an item's curve is averaged over what the
  panel leaves unknown of it, which makes it flatter and its information less, so that
  a dimension which few models show weighs little.
* **The prediction** is the mean over the banks of the posterior mean of the score;
  its variance is the mean of V_i plus the variance between the banks.

## The choice of the design

No single design is never behind. `AutoSubsetSelector` splits its own panel 12 times in
halves (families whole), lets three designs choose on one half and rank the other, and
pools their agreement, as Fisher's z, over neighbouring sizes. The designs are the
averaged `"rank"`; the same for 20 items, then random ones; and one-dimensional marginal
Fisher. `"rank"` is taken unless another is better by more than a standard error
(corrected for splits that share models): the best mean alone is, on small panels,
mostly the luckiest. The standard errors are widened so that 90 % intervals hold 90 % of
the models held out.
"""

LOSES = """
## Where it loses

* **Five items, and few independent models.** With 10 to 20 models to calibrate on, the
  averaged banks spend some of five or ten items on dimensions that are not there or
  hardly known; one dimension, or the items that models disagree on, can rank a few
  hundredths better (`mmlu_pro`, `swebench_verified_bash_only`). Trials of 10 models
  (`refusalbench_bio_trials`) are ranked better by random items than by any choice of
  items by a model.
* **Mixed benchmarks at very few items**: on `bfcl` one dimension is ahead at 5 items,
  and far behind from 20 on.
* **Errors of scores predicted from chosen items.** The greedy choice seeks items whose
  parameters look best, also by chance, and items of one topic resemble each other more
  than few dimensions tell. The intervals of `FisherSubsetSelector(criterion="rank")`,
  which rest on the bank alone, are therefore too narrow. Random items after the first
  20 are honest in this respect, though they rank a little worse.
* **The choice inside the panel is noisy.** The designs differ by hundredths, and halves
  of 30 models tell such differences badly. Taking the best mean of the three without
  asking for more than a standard error ranked worse than `"rank"` alone.
* **Time.** The comparison calibrates each bank 12 times: about 10 to 40 s of one core.
"""

PROTOCOL = """
## Protocol

{splits} random half splits of the models of each set with at least 20 independent
ones, families whole, the same for all methods; Spearman's rho on the half that did
not choose, with the full-benchmark score (with gaps, observed answers as observed and
expected ones under one dimension, which favours the one-dimensional methods). Of
larger sets a seeded sample of {models} models and {items:,} items stands in. `random`
is the mean of random items, averaged over {draws} draws a split; `random + ridge`
regresses the full score on random items ({ridges} draws). Everything has its
defaults; nothing was tuned to these sets, of which several had been looked at in
development. {minutes} minutes of one core. In `refusalbench_bio` prompts that ought
to be answered count as wanted if they were, those to be refused if they were not, and
prompts of unclear tiers are left out.
"""

TABLES = """
## Agreement on models that did not choose
"""

PREDICTION = """
## The predicted full score

Mean absolute error, in points of 100, of the score predicted from 100 items, for
held-out models that answered everything, and the share of them in the 90 % intervals.
`p-IRT` is `FisherSubsetSelector(ranking="score")`: answers as observed, the rest
expected under one dimension (after Polo et al. 2024), on the items of marginal
Fisher.
"""
