"""The findings of an audit in words."""

import numpy as np

from skirt.audit._benchmark_tests import FEWEST_GROUPS
from skirt.audit._judgement import DOMINANCE, RELIABLE
from skirt.audit._study import FEWEST_ITEMS


def benchmark_verdict(study, b, differing):
    """Say what was found of one benchmark, in a sentence or two."""
    parts = [_direction(study, b)]
    if b in study.table.disagreeing:
        parts.append("its items declare different targets, so none was compared")
    if differing:
        named = "; ".join(
            f"{study.subgroup_rows[row].name} ({_leaning(study, row)})"
            for row in differing[:4]
        )
        more = f" and {len(differing) - 4} more" if len(differing) > 4 else ""
        parts.append(f"its sub-groups measure different things: {named}{more}")
    if study.hidden_differs[b]:
        first, second = (study.dimension_names[k] for k in study.hidden[b].dimensions)
        parts.append(f"one kind of its items follows {first}, the other {second}")
    return "; ".join(parts)


def _direction(study, b):
    found, names = study.findings[b], study.dimension_names
    untested = _why_untested(study, b)
    if untested:
        return f"not tested: {untested}"
    if study.size < 2:
        return "one ability only: nothing to compare"
    target = study.targets[b]
    claim = "" if target is None else f" (declared: {study.table.target[b]})"
    if found.contradicts:
        return (
            f"contradicts its target: follows {names[found.second]} rather than "
            f"{names[target]}{claim}"
        )
    if found.lacks_rival:
        return (
            f"goes with {names[found.second]} rather than {names[target]}{claim}, but "
            f"as no other benchmark follows {names[target]} that says nothing"
        )
    against = ""
    if found.against is not None:
        against = f", and runs against {names[found.against]}"
    if not found.linked:
        return f"goes with no ability{against}{claim}"
    if found.follows is not None:
        return f"follows {names[found.follows]}{against}{claim}"
    weight = study.links[b].weight[0]
    order = np.argsort(-weight)
    first, second = names[order[0]], names[order[1]]
    if weight[order[1]] * DOMINANCE > weight[order[0]] > 0:
        return f"mixes {first} and {second}{claim}"
    return f"leans to {names[found.dominant]}, not significantly{claim}"


def _why_untested(study, b):
    left, links = study.left_out[b], study.links[b]
    if not study.varying[study.members[b]].any():
        return "the models do not differ on any of its items"
    if left.reason:
        return f"without its items the abilities cannot be estimated, as {left.reason}"
    if study.n_groups < FEWEST_GROUPS:
        return f"only {study.n_groups} groups of models"
    if links.n_groups < FEWEST_GROUPS:
        return f"only {links.n_groups} groups of models answered it"
    if not left.reliability >= RELIABLE:
        return (
            f"without its items {study.size} abilities cannot be told apart "
            f"(reliability {left.reliability:.2f}); fit fewer"
        )
    lost = study.lost(b)
    if lost is not None:
        return (
            f"{study.dimension_names[lost]} is not the same without its items "
            f"(r = {left.recovered[lost]:.2f})"
        )
    return ""


def subgroup_verdict(study, row):
    """Say how a sub-group compares with the rest of its benchmark."""
    along, _, p_adjusted = (values[row] for values in study.subgroup_tests)
    if not np.isfinite(p_adjusted):
        subgroup = study.subgroup_rows[row]
        few = study.fewest_varying(subgroup)
        if few < FEWEST_ITEMS:
            return f"not tested: only {few} items vary in it, or in the rest"
        why = _why_untested(study, subgroup.benchmark)
        return f"not tested: {why or 'too few models to compare'}"
    if study.subgroup_differs[row]:
        return f"measures something else than the rest ({_leaning(study, row)})"
    if p_adjusted < study.alpha:
        return f"much the same as the rest (latent correlation {along:.2f})"
    return "no difference from the rest"


def _leaning(study, row):
    weight = study.subgroup_links[row].weight[0]
    order = np.argsort(-weight)
    first, second = (study.dimension_names[k] for k in order[:2])
    if weight[order[0]] <= 0:
        return "against all abilities"
    if weight[order[1]] * DOMINANCE > weight[order[0]]:
        return f"{first} and {second}"
    return first
