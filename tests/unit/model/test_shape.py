import pytest

from bench_core.model.shape import Shape


def test_the_question_s_epoch_is_4_8_tflop_and_writes_12_3_gb() -> None:
    shape = Shape.parse("60000x784x51200")

    assert shape.flop_per_epoch == 2 * 60_000 * 784 * 51_200  # 4.817e12
    assert 4 * shape.product_elements == 12_288_000_000
    assert shape.operand_elements == 60_000 * 784 + 784 * 51_200


@pytest.mark.parametrize("text", ["512x784x512", "512 x 784 X 512", "512×784×512"])
def test_a_shape_is_read_as_people_type_it(text: str) -> None:
    assert str(Shape.parse(text)) == "512x784x512"


@pytest.mark.parametrize("text", ["", "512x784", "0x1x1", "-1x2x3", "1x2x3x4", "1e3x1x1", "9999999999x1x1"])
def test_what_is_no_shape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"need ROWSxINNERxUNITS|must be from 1"):
        Shape.parse(text)


def test_a_product_that_overflows_64_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="FLOP an epoch"):
        Shape.parse("2147483647x2147483647x2147483647")
