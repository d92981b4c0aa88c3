"""The whole way with real hosts: sign in, approve, turn on a scenario, see its events, turn it off."""

import os
import subprocess

import pytest
from playwright.sync_api import expect

from conftest import rows

HOST = os.environ.get("NOTES_HOST")
TOOL = os.environ.get("TELEMETRY_TOOL")


@pytest.mark.skipif(not HOST, reason="NOTES_HOST names no program")
def test_a_person_opts_in_and_a_supporter_follows_a_scenario(relay, open_page, tmp_path):
    viewer, host_token = relay.token("viewer", "support"), relay.token("host")
    (tmp_path / "host-token").write_text(host_token)
    host = subprocess.Popen([HOST, "--relay", relay.address, "--token-file", tmp_path / "host-token", tmp_path / "notes.txt"], stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, text=True, env=os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")})

    def say(line):
        host.stdin.write(line + "\n")
        host.stdin.flush()

    try:
        page = open_page(fails_to_load=True)
        page.get_by_label("Token").fill(viewer)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("No client yet")).to_be_visible()
        say("agree")
        expect(rows(page, "Clients").first).to_contain_text("Waiting for approval")
        rows(page, "Clients").first.click()
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".note")).to_contain_text("Approve the client: Done")
        page.get_by_role("button", name="Turn on: UserInteraction").click()
        row = page.get_by_role("region", name="Scenarios").get_by_role("row", name="UserInteraction")
        expect(row).to_contain_text("left")
        expect(page.get_by_role("region", name="Commands")).to_contain_text("support")
        page.get_by_role("link", name="Show its events").click()
        say("note Buy <b>milk</b>")
        expect(rows(page, "Events").first).to_be_visible()
        page.go_back()
        page.get_by_role("button", name="Turn off: UserInteraction").click()
        expect(row).to_contain_text("Off")
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        page.get_by_role("button", name="End telemetry…").click()
        page.get_by_role("dialog").get_by_role("button", name="End telemetry").click()
        expect(page.get_by_text("Gone: its telemetry ended")).to_be_visible()
    finally:
        host.stdin.close()
        host.wait(timeout=20)


@pytest.mark.skipif(not TOOL, reason="TELEMETRY_TOOL names no program")
def test_the_output_of_a_program_is_followed_once_its_scenario_is_on(relay, open_page, tmp_path):
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    pipe = subprocess.Popen([TOOL, "pipe", "--scenario", "Server", "--level-from", r"^\[(\w+)\]", "--hold", "--relay", relay.address],
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        pipe.stdin.write("[info] started\n[error] disk <full>\n")
        pipe.stdin.flush()
        page = open_page()
        expect(rows(page, "Clients").first).to_contain_text("Waiting for approval")
        rows(page, "Clients").first.click()
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".note")).to_contain_text("Approve the client: Done")
        page.get_by_role("button", name="Turn on: Server").click()
        expect(page.get_by_role("region", name="Scenarios").get_by_role("row", name="Server")).to_contain_text("left")
        page.get_by_role("link", name="Show its events").click()
        expect(rows(page, "Events").last).to_contain_text("[error] disk <full>")
    finally:
        pipe.stdin.close()
        pipe.wait(timeout=20)
