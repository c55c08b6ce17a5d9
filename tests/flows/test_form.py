import pytest
from pydantic import ValidationError

from bench_core.model.errors import SpecError
from flows.adhoc import adhoc
from flows.form import Comparison, Effort, MitigationChoice, Place, to_spec


def test_the_defaults_show_the_cliff_in_about_a_minute() -> None:
    spec = to_spec(Comparison(), Place(), Effort())

    assert spec.mitigations == ("none", "graph_loop_kept")
    assert max(spec.epochs) > 1024  # TensorFlow's queue takes 1,024 epochs: the cliff is beyond
    assert spec.budget_s <= 60


def test_the_control_is_always_measured() -> None:
    spec = to_spec(Comparison(mitigations=[]), Place(), Effort())

    assert spec.mitigations == ("none",)


@pytest.mark.parametrize("choice", list(MitigationChoice))
def test_every_choice_is_a_mitigation_that_can_be_planned(choice: MitigationChoice) -> None:
    spec = to_spec(Comparison(mitigations=[choice]), Place(), Effort())

    assert len(spec.mitigations) == 2


@pytest.mark.parametrize("device", ["auto", "cpu", "cpu-async", "cpu-async:256", "gpu:0"])
def test_every_way_to_name_a_device_is_accepted(device: str) -> None:
    assert to_spec(Comparison(), Place(device=device), Effort()).device == device


def test_a_shape_that_overflows_is_refused_with_what_it_would_need() -> None:
    with pytest.raises(SpecError, match="FLOP an epoch"):
        to_spec(Comparison(), Place(shape="2000000000x2000000000x2000000000"), Effort())


@pytest.mark.parametrize("field", ["mnist_path", "warehouse", "command", "name"])
def test_a_form_has_no_field_for_a_path_or_a_command(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        Place(**{field: "/etc/passwd"})


def test_every_field_of_the_form_has_a_title_and_every_section_help() -> None:
    schema = adhoc.parameters.model_dump()

    for section in ("Comparison", "Place", "Effort"):
        for name, field in schema["definitions"][section]["properties"].items():
            # An enum brings the title of its own definition.
            assert field.get("title") or "$ref" in field, f"{section}.{name}"
    for parameter in schema["properties"].values():
        assert parameter["description"]
