"""The histogram above the events."""

import re

import pytest
from playwright.sync_api import expect

from conftest import query_box, rows
from relay import event, moment


def fill(relay, first=-7_200, last=-3_600, count=61, **fields):
    """Events at equal distances, the last of which are errors."""
    step = (last - first) / (count - 1)
    relay.append([event(number, eventTimestamp=moment(first + number * step), attributes={"severity": "error" if number >= count - 5 else "info"}, **fields)
                  for number in range(count)])


def caption(page):
    return page.locator(".histogram figcaption > span").first


def bars(page, part):
    return page.locator(f".plot rect.part-{part}")


def test_all_events_are_counted_from_where_they_begin(relay, open_page):
    for first in range(0, 3_000, 1_000):
        relay.append([event(number, eventTimestamp=moment(-90_000 + number)) for number in range(first, first + 1_000)])
    page = open_page("/#/events")
    # The newest event is a day old, and the list has one page of 500.
    expect(caption(page)).to_have_text("3,000 events, 1 min a bar")
    expect(bars(page, "info").first).to_be_attached()
    assert 50 <= bars(page, "info").count() <= 51
    assert float(bars(page, "info").first.get_attribute("x")) < 1


@pytest.mark.parametrize("seconds", [60, 3_600, 86_400, 86_400 * 400])
def test_the_bars_are_as_many_as_can_be_told_apart(relay, open_page, seconds):
    count = open_page().evaluate("""async (last) => {
        const { barWidth } = await import("/web/histogram.js");
        const { length } = barWidth(500, last);
        return Math.floor(last / length) - Math.floor(500 / length) + 1;
    }""", seconds * 1_000)
    assert 30 <= count <= 80


def test_bars_are_parted_by_severity_and_read_to_screen_readers(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    expect(caption(page)).to_have_text("61 events, 1 min a bar")
    expect(bars(page, "error")).to_have_count(5)
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", re.compile(r": error 1$"))


def test_a_span_is_chosen_with_the_pointer_and_all_times_are_shown_again(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    expect(caption(page)).to_have_text("61 events, 1 min a bar")
    box = page.get_by_role("slider").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, y)
    expect(page.locator(".plot .chosen")).to_be_attached()
    page.mouse.up()
    expect(query_box(page)).to_have_value(re.compile(r"^time:>=\S+Z time:<\S+Z$"))
    expect(page.locator(".summary")).to_have_text(re.compile("^1[5-7] rows$"))
    page.get_by_role("button", name="All times").click()
    expect(query_box(page)).to_have_value("")
    expect(rows(page, "Events").first).to_be_visible()
    expect(page.locator(".summary")).to_have_text("61 rows")


def test_a_span_is_chosen_with_the_keys(relay, open_page):
    fill(relay)
    page = open_page("/#/events?query=items")
    expect(caption(page)).to_have_text("61 events, 1 min a bar")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    for _ in range(2):
        page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(".summary")).to_have_text("3 rows")
    expect(query_box(page)).to_have_value(re.compile(r"^items time:>="))


def test_an_event_with_a_wrong_time_does_not_stretch_the_histogram(relay, open_page):
    fill(relay)
    relay.append([event(100, eventTimestamp="2199-01-01T00:00:00Z")])
    expect(caption(open_page("/#/events"))).to_have_text("61 events, 1 min a bar")


def test_new_events_are_counted_and_the_list_does_not_move_down(relay, open_page):
    fill(relay)
    page = open_page()
    page.clock.install()
    page.goto(f"{relay.address}/?#/events")
    expect(caption(page)).to_have_text("61 events, 1 min a bar")
    top = page.get_by_role("grid", name="Events").bounding_box()
    relay.append([event(number, eventTimestamp=moment(-3_600)) for number in range(61, 71)])
    page.clock.fast_forward(200)
    expect(page.locator(".summary")).to_have_text("71 rows")
    page.clock.fast_forward(10_000)
    expect(caption(page)).to_have_text("71 events, 1 min a bar")
    assert page.get_by_role("grid", name="Events").bounding_box() == top


def test_an_answer_that_comes_while_a_span_is_dragged_is_shown_afterwards(relay, open_page):
    fill(relay)
    page = open_page()
    page.clock.install()
    page.goto(f"{relay.address}/?#/events")
    expect(caption(page)).to_have_text("61 events, 1 min a bar")
    page.get_by_role("slider").hover()
    page.mouse.down()
    relay.append([event(number, eventTimestamp=moment(-3_600)) for number in range(61, 71)])
    page.clock.fast_forward(200)
    expect(page.locator(".summary")).to_have_text("71 rows")
    with page.expect_response(lambda response: "count() by severity" in (response.request.post_data or "")) as answer:
        page.clock.fast_forward(10_000)
    answer.value.finished()
    expect(caption(page)).to_have_text("61 events, 1 min a bar")
    page.keyboard.press("Escape")
    expect(caption(page)).to_have_text("71 events, 1 min a bar")


def test_a_span_that_is_chosen_with_the_keys_ends_with_the_focus(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    expect(caption(page)).to_have_text("61 events, 1 min a bar")
    page.get_by_role("slider").focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".plot .chosen")).to_be_attached()
    page.keyboard.press("Tab")
    expect(page.locator(".plot .chosen")).to_have_count(0)


def test_events_are_not_counted_again_before_the_first_answer(relay, open_page):
    fill(relay)
    page = open_page()
    held = []

    def hold(route):
        held.append(route) if "min(time)" in route.request.post_data else route.continue_()

    page.route("**/v1/query", hold)
    page.clock.install()
    page.goto(f"{relay.address}/?#/events")
    expect(rows(page, "Events").first).to_be_visible()
    relay.append([event(61, eventTimestamp=moment(-3_600))])
    page.clock.fast_forward(200)
    expect(page.locator(".summary")).to_have_text("62 rows")
    page.clock.fast_forward(10_000)
    # A request of the page after this one would be held too.
    page.evaluate("fetch('/v1/server')")
    assert len(held) == 1
    held[0].continue_()
    expect(caption(page)).to_have_text(re.compile("^62 events"))


def test_without_bars_there_is_no_chart_to_make(relay, open_page):
    page = open_page("/#/events")
    expect(caption(page)).to_have_text("No events")
    expect(page.get_by_role("button", name="Chart by scenario")).to_be_hidden()
    relay.append([event(1)])
    page.reload()
    expect(page.get_by_role("button", name="Chart by scenario")).to_be_visible()
