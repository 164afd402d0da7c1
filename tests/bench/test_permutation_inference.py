from tiltless.bench.permutation_inference import run


def test_figures_of_a_few_matches():
    found = run(matches=3)
    assert list(found) == [
        "inference_s",
        "inference_most_s",
        "inference_slowest_update_s",
        "inference_right_200",
        "inference_kept",
    ]
    assert 0 < found["inference_slowest_update_s"] <= found["inference_s"] * 3
    assert found["inference_s"] <= found["inference_most_s"]
    assert found["inference_right_200"] in (0, 1 / 3, 2 / 3, 1)
    assert found["inference_kept"] == 1
