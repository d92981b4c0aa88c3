"""Signing in with OpenID Connect, at an issuer that the tests start."""

import base64
import hashlib
import http.server
import json
import subprocess
import threading
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from conftest import ARTIFACTS
from test_appearance import axe

LIFETIME = 300


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """Signs in one account without asking, as an issuer whose session is open."""

    def __init__(self, directory):
        self.key = directory / "issuer.pem"
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, capture_output=True)
        modulus = subprocess.run(["openssl", "rsa", "-in", self.key, "-noout", "-modulus"], check=True, capture_output=True, text=True).stdout
        self.modulus = bytes.fromhex(modulus.strip().removeprefix("Modulus="))
        self.account = {"sub": "1", "email": "anna@example.com", "groups": ["admins"]}
        self.lifetime, self.refreshes, self.error = LIFETIME, False, None
        self.codes, self.forms, self.requests = {}, [], []
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.get(self, urlsplit(self.path))

            def do_POST(self):
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                issuer.token(self, {name: values[0] for name, values in form.items()})

            def answer(self, status, value=None, **headers):
                body = b"" if value is None else value.encode() if isinstance(value, str) else json.dumps(value).encode()
                self.send_response(status)
                for name, header in headers.items():
                    self.send_header(name, header)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def get(self, handler, url):
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.requests.append((url.path, query))
        if url.path == "/.well-known/openid-configuration":
            handler.answer(200, {"issuer": self.address, "authorization_endpoint": f"{self.address}/authorize?prompt=login", "token_endpoint": f"{self.address}/token",
                                 "jwks_uri": f"{self.address}/keys", "end_session_endpoint": f"{self.address}/logout"})
        elif url.path == "/keys":
            handler.answer(200, {"keys": [{"kty": "RSA", "kid": "k", "n": base64url(self.modulus), "e": "AQAB"}]})
        elif url.path == "/authorize":
            code = f"code-{len(self.codes)}"
            self.codes[code] = query
            result = {"error": self.error} if self.error else {"code": code}
            handler.answer(302, Location=f"{query['redirect_uri']}?{urlencode(result | {'state': query['state']})}")
        else:
            handler.answer(200, "<title>Signed out</title>", **{"Content-Type": "text/html"})

    def token(self, handler, form):
        self.forms.append(form)
        claims = {"iss": self.address, "aud": form["client_id"], "exp": int(time.time()) + self.lifetime} | self.account
        if form["grant_type"] == "refresh_token":
            claims["exp"] += LIFETIME
        else:
            asked = self.codes.pop(form["code"], None)
            challenge = base64url(hashlib.sha256(form["code_verifier"].encode()).digest())
            if asked is None or challenge != asked["code_challenge"] or asked["redirect_uri"] != form["redirect_uri"]:
                return handler.answer(400, {"error": "invalid_grant"})
            claims["nonce"] = asked["nonce"]
        return handler.answer(200, {"id_token": self.sign(claims)} | ({"refresh_token": "refresh"} if self.refreshes else {}))

    def sign(self, claims):
        text = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "k"}, claims))
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=text.encode(), check=True, capture_output=True).stdout
        return f"{text}.{base64url(signature)}"


@pytest.fixture
def issuer(relay, tmp_path):
    issuer = Issuer(tmp_path)
    relay.stop()
    relay.start("--oidc-issuer", issuer.address, "--oidc-client-id", "page", "--oidc-role", "viewer=admins", "--oidc-role", "reader=support")
    yield issuer
    issuer.server.shutdown()


def sign_in(page, issuer):
    page.get_by_role("button", name=f"Sign in at {issuer.address.removeprefix('http://')}").click()


def open_signed_in(open_page, issuer, path="/#/events"):
    page = open_page(path, fails_to_load=True, allows=issuer.address)
    sign_in(page, issuer)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    return page


def test_an_account_signs_in_reloads_and_signs_out_at_the_issuer_too(relay, open_page, issuer):
    page = open_signed_in(open_page, issuer)
    # It comes back to the view that was asked for, and nothing of the sign-in is in the address.
    expect(page.get_by_role("heading", level=1, name="Events")).to_be_visible()
    assert page.url == f"{relay.address}/#/events"
    expect(page.locator("#role")).to_have_text("Viewer")
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Events")).to_be_visible()
    page.goto(f"{relay.address}/#/audit")
    region = page.get_by_role("region", name="Audit")
    expect(region).to_contain_text("Sign in")
    expect(region).to_contain_text("anna@example.com")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{issuer.address}/logout**")
    assert ("/logout", {"client_id": "page", "post_logout_redirect_uri": f"{relay.address}/"}) in issuer.requests
    page.goto(relay.address)
    expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()
    assert page.evaluate("Object.keys(sessionStorage)") == []


def test_the_issuer_gets_a_challenge_and_no_secret_of_the_page(relay, open_page, issuer):
    open_signed_in(open_page, issuer)
    [(_, asked)] = [request for request in issuer.requests if request[0] == "/authorize"]
    assert asked.pop("prompt") == "login"
    assert {name: asked[name] for name in ["response_type", "client_id", "redirect_uri", "scope", "code_challenge_method"]} == {
        "response_type": "code", "client_id": "page", "redirect_uri": f"{relay.address}/", "scope": "openid email profile", "code_challenge_method": "S256"}
    assert all(len(asked[name]) == 43 for name in ["state", "nonce", "code_challenge"])
    [form] = issuer.forms
    assert form["grant_type"] == "authorization_code" and form["code_verifier"] not in asked.values()


RENEWED = """async (seconds) => {
    const end = () => JSON.parse(atob(sessionStorage["telemetry.token"].split(".")[1])).exp;
    while (end() < Date.now() / 1000 + seconds) await new Promise((done) => setTimeout(done, 50));
}"""


def test_a_token_is_renewed_before_it_expires(relay, open_page, issuer):
    issuer.lifetime, issuer.refreshes = 4, True
    page = open_signed_in(open_page, issuer)
    page.evaluate(RENEWED, 100)
    page.goto(f"{relay.address}/#/rules")
    expect(page.get_by_role("heading", name="No rules")).to_be_visible()


@pytest.mark.parametrize("reloads", [True, False])
def test_a_token_that_has_expired_is_renewed(relay, open_page, issuer, reloads):
    issuer.refreshes = True
    page = open_signed_in(open_page, issuer)
    # As if the computer had slept.
    page.evaluate("token => { sessionStorage['telemetry.token'] = token; }", issuer.sign({"iss": issuer.address, "exp": 1}))
    if reloads:
        page.reload()
    else:
        page.route("**/v1/records/query", lambda route: route.fulfill(status=401, json={"code": "unauthorized", "detail": "Expired."}), times=1)
        page.goto(f"{relay.address}/#/rules")
    page.evaluate(RENEWED, 100)
    expect(page.get_by_role("heading", level=1, name="Events" if reloads else "Rules")).to_be_visible()
    if not reloads:
        expect(page.get_by_role("heading", name="No rules")).to_be_visible()


def test_a_token_that_expired_while_the_issuer_is_away_is_renewed_later(relay, open_page, issuer):
    issuer.refreshes = True
    page = open_signed_in(open_page, issuer)
    page.evaluate("token => { sessionStorage['telemetry.token'] = token; }", issuer.sign({"iss": issuer.address, "exp": 1}))
    page.route("**/v1/sign-in", lambda route: route.fulfill(status=503, json={"code": "unavailable", "detail": "Away."}), times=1)
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Events")).to_be_visible()
    assert len(issuer.forms) == 2


def test_a_link_from_elsewhere_does_not_end_a_session(relay, open_page, issuer):
    page = open_signed_in(open_page, issuer)
    page.goto(f"{relay.address}/?error=x&state=y#/rules")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert page.url.startswith(f"{relay.address}/") and "error" not in page.url


def test_an_account_without_a_role_and_an_issuer_that_refuses_are_explained(relay, open_page, issuer):
    issuer.account["groups"] = ["others"]
    page = open_page("/", fails_to_load=True, allows=issuer.address)
    sign_in(page, issuer)
    expect(page.get_by_text("This account has no role on this relay.")).to_be_visible()
    issuer.error = "access_denied"
    sign_in(page, issuer)
    expect(page.get_by_text("The issuer did not sign you in: access_denied")).to_be_visible()
    assert page.url == f"{relay.address}/"
    page.screenshot(path=ARTIFACTS / "sign-in-issuer.png")
    assert axe(page) == []


@pytest.mark.parametrize("query", ["?code=stolen&state=x", "?code=stolen", "?error=%3Cimg%20src%3Dx%3E&state=x"])
def test_an_answer_to_a_sign_in_that_did_not_begin_here_is_not_used(relay, open_page, issuer, query):
    page = open_page(f"/{query}", fails_to_load=True, allows=issuer.address)
    expect(page.get_by_text("This sign-in did not begin here. Sign in again.")).to_be_visible()
    assert page.url == f"{relay.address}/" and issuer.forms == []


def test_a_token_of_the_relay_still_opens_the_page(relay, open_page, issuer):
    token = relay.token("reader")
    page = open_page("/", fails_to_load=True, allows=issuer.address)
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    expect(page.locator("#role")).to_have_text("Read only")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()
    assert not any(path == "/logout" for path, _ in issuer.requests)


def test_while_the_issuer_is_away_the_page_says_so_and_takes_tokens(relay, open_page, issuer):
    issuer.server.shutdown()
    issuer.server.server_close()
    page = open_page("/", fails_to_load=True)
    expect(page.get_by_text("The issuer cannot be reached.")).to_be_visible()
    expect(page.get_by_label("Token")).to_be_visible()
