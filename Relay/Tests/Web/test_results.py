"""The results of queries with pipes, as charts and tables."""

import re

from playwright.sync_api import expect

from conftest import ask, query_box, rows
from relay import event, moment


def fill(relay):
    relay.append([event(number, scenario=["Sync", "Net", None][number % 3], eventTimestamp=moment(-90_000 + number * 20),
                        attributes={"duration": number + 0.5, "odd key": f"v{number % 2}"}) for number in range(60)])


def table(page):
    """The texts of the table's rows."""
    expect(page.get_by_role("region", name="Result")).to_be_visible()
    return [row.all_inner_texts() for row in (item.get_by_role("cell") for item in page.get_by_role("region", name="Result").get_by_role("row").all()[1:])]


def test_groups_are_bars_and_a_table_over_all_events(relay, open_page):
    for first in range(0, 2_000, 1_000):
        relay.append([event(number, scenario="Net" if number % 4 else "Sync") for number in range(first, first + 1_000)])
    page = open_page("/#/events?query=%7C+top+scenario")
    bars = page.get_by_role("list", name="count").get_by_role("listitem")
    expect(bars).to_have_text(["Net1,500", "Sync500"])
    widths = [float(bar.get_attribute("width")) for bar in bars.locator("rect").all()]
    assert widths[0] == 100 and round(widths[1], 1) == 33.3
    assert table(page) == [["Net", "1,500"], ["Sync", "500"]]
    expect(page.locator(".summary").last).to_have_text("2 rows from 2,000 events")
    expect(page.get_by_role("grid", name="Events")).to_be_hidden()


def test_buckets_of_time_are_lines_one_chart_for_each_number(relay, open_page):
    fill(relay)
    page = open_page("/#/events?query=" + "%7C+stats+count(),+max(duration)+as+longest+by+scenario,+time:1m")
    # The events are a day old.
    expect(page.get_by_role("img")).to_have_count(2)
    expect(page.get_by_role("img", name=re.compile(r"^count\(\) over time: (Net|Sync|none)"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^longest over time: "))).to_be_visible()
    assert page.locator("polyline.line-2").count() == 2
    # A group has the same color in both.
    legends = page.locator(".result .legend").all_inner_texts()
    assert legends[0] == legends[1]
    points = " ".join(line.get_attribute("points") for line in page.locator("polyline").all())
    times = [float(point.split(",")[0]) for point in points.split(" ")]
    assert (min(times), max(times)) == (64, 712)


def test_the_groups_of_a_result_lead_to_their_events(relay, open_page):
    fill(relay)
    page = open_page('/#/events?query=name:request+%7C+stats+count()+by+%22odd+key%22,+scenario')
    region = page.get_by_role("region", name="Result")
    region.get_by_role("link", name="v1").first.click()
    expect(page.get_by_role("heading", name="Events", exact=True)).to_be_focused()
    expect(query_box(page)).to_have_value('name:request "odd key":="v1"')
    expect(page.locator(".summary").first).to_have_text("30 rows")
    page.go_back()
    region.get_by_role("link", name="none").first.click()
    expect(query_box(page)).to_have_value("name:request -scenario:*")
    expect(page.locator(".summary").first).to_have_text("20 rows")


def test_other_pipes_give_a_table_without_charts(relay, open_page):
    fill(relay)
    page = open_page("/#/events")
    ask(page, "| sort by duration desc | limit 2")
    expect(page.get_by_role("region", name="Result").get_by_role("row")).to_have_count(3)
    assert [row[-1] for row in table(page)] == ["GET /items/59 duration=59.5 odd key=v1", "GET /items/58 duration=58.5 odd key=v0"]
    ask(page, "duration:>58 | fields duration, retry, name")
    expect(page.get_by_role("region", name="Result").get_by_role("columnheader")).to_have_text(["duration", "retry", "name"])
    assert table(page) == [["58.5", "–", "request.finished"], ["59.5", "–", "request.finished"]]
    expect(page.locator("figure:visible")).to_have_count(0)


def test_a_wrong_pipe_keeps_the_result_and_the_list_comes_back(relay, open_page):
    fill(relay)
    page = open_page("/#/events?query=%7C+top+scenario", fails_to_load=True)
    assert len(table(page)) == 3
    ask(page, "| stats quantile(2, duration)")
    expect(page.locator(".query-problem mark")).to_have_text("2")
    assert len(table(page)) == 3
    ask(page, "")
    expect(rows(page, "Events").first).to_be_visible()
    expect(page.get_by_role("region", name="Result")).to_have_count(0)
    relay.append([event(100)])
    expect(page.locator(".summary").first).to_have_text("62 rows")


def test_charts_are_made_from_the_list_and_their_link_is_copied(relay, open_page):
    fill(relay)
    page = open_page("/#/events?query=duration:%3E1")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Chart of scenario").click()
    expect(page.get_by_role("list", name="count")).to_be_visible()
    expect(query_box(page)).to_have_value("duration:>1 | top 10 scenario")
    page.go_back()
    page.get_by_role("button", name="Chart by scenario").click()
    expect(page.get_by_role("img", name=re.compile(r"^count\(\) over time"))).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#announcer")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    other = open_page(copied.removeprefix(relay.address))
    expect(other.get_by_role("img", name=re.compile(r"^count\(\) over time"))).to_be_visible()


def test_a_query_is_answered_when_the_relay_is_there_again(relay, open_page):
    fill(relay)
    page = open_page("/#/events", fails_to_load=True)
    expect(rows(page, "Events").first).to_be_visible()
    page.route("**/v1/query", lambda route: route.abort())
    ask(page, "| top scenario")
    expect(page.locator("section[aria-busy]")).to_be_visible()
    expect(rows(page, "Events").first).to_be_visible()
    page.unroute("**/v1/query")
    expect(page.get_by_role("list", name="count")).to_be_visible()


def test_a_number_without_values_is_no_group(relay, open_page):
    fill(relay)
    page = open_page("/#/events?query=%7C+stats+avg(missing),+count()+by+scenario")
    assert [row[1] for row in table(page)] == ["–"] * 3
    expect(page.get_by_role("region", name="Result").get_by_role("link")).to_have_count(3)
    expect(page.get_by_role("list", name="count()").get_by_role("listitem").first).to_have_text(re.compile("^(Sync|Net|none)20$"))


def test_a_group_of_groups_is_no_link(relay, open_page):
    fill(relay)
    page = open_page("/#/events?query=%7C+stats+count()+as+number+by+scenario+%7C+top+scenario")
    assert len(table(page)) == 3
    expect(page.get_by_role("region", name="Result").get_by_role("link")).to_have_count(0)


def test_small_numbers_keep_their_digits(relay, open_page):
    relay.append([event(1, attributes={"least": 0.0004, "most": 1234567.25, "exact": 9_007_199_254_740_993})])
    page = open_page("/#/events?query=%7C+stats+min(least),+max(most),+max(exact)")
    assert table(page) == [["0.0004", "1,234,567.25", "9,007,199,254,740,993"]]


def test_groups_that_look_alike_are_lines_of_their_own(relay, open_page):
    relay.append([event(number, scenario=[None, "none"][number % 2], eventTimestamp=moment(-3_600 + number * 60)) for number in range(10)])
    page = open_page("/#/events?query=%7C+stats+count()+by+scenario,+time:1m")
    expect(page.locator(".result .legend li")).to_have_text(["none", "none"])
    expect(page.locator("polyline")).to_have_count(2)


def test_only_events_that_the_table_shows_are_summarized(relay, open_page):
    summary, rows = open_page().evaluate("""async () => {
        const { queryResult } = await import("/web/query-result.js");
        const read = new Set();
        const events = Array.from({ length: 600 }, (_, index) => ({ eventName: "a", get property1() { read.add(index); return "b"; } }));
        return [queryResult("| limit 600", { events, matched: 1000, hasMore: true })[0].textContent, read.size];
    }""")
    assert (summary, rows) == ("600 rows from 1,000 events; there are more rows; the table has the first 500", 500)
