import io

import numpy as np
import pytest
from PIL import Image

from tiltless.errors import WriteError
from tiltless.viz.canvas import Canvas, Sheet, box, write


def pixels(canvas):
    with Image.open(io.BytesIO(canvas.png())) as image:
        return np.asarray(image.convert("RGB"))


def test_a_canvas_is_drawn_on_in_pixels():
    canvas = Canvas(200, 100)
    axes = canvas.pixels(20, 10, 100, 50)
    box(axes, 0, 0, 30, 20, "#ff0000")
    image = pixels(canvas)
    red = np.argwhere((image == (255, 0, 0)).all(axis=2))
    assert image.shape == (100, 200, 3)
    assert red.min(axis=0).tolist() == [10, 20]
    assert red.max(axis=0).tolist() == [29, 49]


def test_text_gets_smaller_and_then_shorter():
    axes = Canvas(400, 100).pixels(0, 0, 400, 100)
    short = write(axes, 0, 20, "pot 64", 14, room=200)
    assert (short.get_text(), short.get_fontsize()) == ("pot 64", 14)
    smaller = write(axes, 0, 20, "x b32 c / x b96 c / x", 14, room=150)
    assert smaller.get_text() == "x b32 c / x b96 c / x"
    assert 8 <= smaller.get_fontsize() < 14
    line = " ".join(f"b{number}" for number in range(60))
    for keep_end in (False, True):
        cut = write(axes, 0, 20, line, 14, room=150, keep_end=keep_end)
        assert cut.get_fontsize() == 8
        assert cut.get_window_extent().width <= 150
        assert cut.get_text().endswith("b59") == keep_end
        assert cut.get_text().startswith("b0 b1") != keep_end
        assert "…" in cut.get_text()


def test_pictures_are_the_same_bytes_each_time_and_written_whole(tmp_path):
    for name in ("a.png", "b.png"):
        sheet = Sheet("A title", "what it says", "a note")
        sheet.axes().plot([0, 1], [0, 1])
        sheet.save(tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    with pytest.raises(WriteError, match=r"c\.png.*create"):
        Canvas(10, 10).save(tmp_path / "missing" / "c.png")
