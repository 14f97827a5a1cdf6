"""A small issuer of OpenID Connect on a loopback port, which can be told to do wrong.

`python -m tests.issuer PORT NAME...` runs one for a browser: its page has a button for each name.
"""

import base64
import gzip
import hashlib
import json
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jws, jwt
from joserfc.jwk import ECKey, OctKey
from joserfc.registry import HeaderParameter
from typing_extensions import override

CLIENT_ID = "numalens-under-test"
NESTED = "[" * 100_000 + "]" * 100_000
CLIENT_SECRET = "a secret of the client"


@dataclass
class Issuer:
    """What the issuer knows; `wrong` says what it does wrong from now on."""

    port: int = 0
    names: tuple[str, ...] = ()
    wrong: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    """More claims of every token, None takes one away."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    sent: int = 0
    """Bytes of endless answers."""
    published: ECKey | None = None
    """The key that the key set has in place of the one that signs."""
    left: list[dict[str, str]] = field(default_factory=list)
    """What browsers brought that were to be signed out."""
    key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "one"}))
    other_key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "one"}))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def settings(self) -> dict[str, str]:
        """Settings of a server whose people this issuer signs in."""
        return {
            "sign_in": "oidc",
            "oidc_issuer": self.address,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": CLIENT_SECRET,
        }

    def answer_to(self, url: str, name: str) -> dict[str, str]:
        """What the browser brings back when `name` signs in at the address that a server sent it to."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", f"{url.removeprefix(self.address)}&{urlencode({'name': name})}")
        answer = connection.getresponse()
        assert answer.status == 302
        brought = parse_qs(urlsplit(answer.headers["location"]).query)
        connection.close()
        return {key: values[0] for key, values in brought.items()}

    def discovery(self) -> dict[str, Any]:
        named = "https://elsewhere.example" if self.wrong == "calls itself otherwise" else self.address
        keys = "http://elsewhere.example/jwks" if self.wrong == "keys over http" else f"{self.address}/jwks"
        ways_out: dict[str, dict[str, Any]] = {
            "no way out": {},
            "way out over http": {"end_session_endpoint": "http://elsewhere.example/leave"},
            "way out is no address": {"end_session_endpoint": 7},
            "way out with a query": {"end_session_endpoint": f"{self.address}/leave?realm=a%26b"},
        }
        return {
            **ways_out.get(self.wrong, {"end_session_endpoint": f"{self.address}/leave"}),
            "issuer": named,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "userinfo_endpoint": f"{self.address}/userinfo",
            "jwks_uri": keys,
            # As an issuer may say that knows no better: it must not be believed.
            "id_token_signing_alg_values_supported": ["ES256", "HS256", "none"],
        }

    def authorize(self, query: dict[str, str]) -> str | None:
        """Where the browser goes once somebody has signed in; None while nobody has."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        assert query["redirect_uri"].endswith("/signed-in")
        if "name" not in query:
            return None
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def leave(self, query: dict[str, str]) -> str | None:
        """Where the browser goes once somebody is signed out; None: it stays."""
        assert query["client_id"] == CLIENT_ID
        self.left.append(query)
        return query.get("post_logout_redirect_uri")

    def token(self, authorization: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if self.wrong == "falls over":
            return 500, {}
        begun = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (
            begun is None
            or authorization != f"Basic {basic}"
            or begun["redirect_uri"] != form.get("redirect_uri")
            or begun["code_challenge"] != challenge.decode().rstrip("=")
        ):
            return 400, {"error": "invalid_grant"}
        result = {"access_token": f"for {begun['name']}", "token_type": "Bearer", "expires_in": 60}
        return 200, {**result, "id_token": self.signed(self.claims_of(begun["name"], begun["nonce"]))}

    def claims_of(self, name: str, nonce: str) -> dict[str, Any]:
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": self.address,
            "aud": CLIENT_ID,
            "sub": f"account of {name}",
            "exp": now + 300,
            "iat": now,
            "nonce": nonce,
            "email": name,
            "email_verified": True,
        }
        wrong: dict[str, dict[str, Any]] = {
            "nonce": {"nonce": "another"},
            "no nonce": {"nonce": None},
            "audience": {"aud": "another client"},
            "audience, with us as its party": {"aud": "another client", "azp": CLIENT_ID},
            "issuer": {"iss": "https://elsewhere.example"},
            "expired": {"exp": now - 3600},
            "no end": {"exp": None},
            "no subject": {"sub": None},
            "audience of two without a party": {"aud": [CLIENT_ID, "another client"]},
            "party of another": {"aud": [CLIENT_ID, "another client"], "azp": "another client"},
            "not valid yet": {"nbf": now + 3600},
            "issued tomorrow": {"iat": now + 86400},
            "end is no number": {"exp": "soon"},
            "end is a list": {"exp": [now + 300]},
            "end never comes": {"exp": float("inf")},
            "subject is no text": {"sub": {"of": name}},
            "subject is a flag": {"sub": True},
            "subject is endless": {"sub": "a" * 100_000},
            "subject has a zero": {"sub": "account\0"},
            "subject has half a letter": {"sub": "account\ud800"},
        }
        return {
            key: value
            for key, value in {**claims, **wrong.get(self.wrong, {}), **self.claims}.items()
            if value is not None
        }

    def signed(self, claims: dict[str, Any]) -> str:
        crafted = self._crafted(claims)
        if crafted is not None:
            return crafted
        if self.wrong == "unsigned":
            parts = ({"alg": "none", "typ": "JWT"}, claims)
            return ".".join(_part(part) for part in parts) + "."
        if self.wrong == "by the public key as a secret":
            public = json.dumps(self.key.as_dict(private=False)).encode()
            return jwt.encode({"alg": "HS256", "kid": "one"}, claims, OctKey.import_key(public))
        key = self.other_key if self.wrong == "by another key" else self.key
        token = jwt.encode({"alg": "ES256", "kid": key.kid}, claims, key)
        if self.wrong != "changed after signing":
            return token
        head, body, signature = token.split(".")
        assert json.loads(base64.urlsafe_b64decode(body + "==")) == claims
        return f"{head}.{_part({**claims, 'email': 'root@numalens.example'})}.{signature}"

    def _crafted(self, claims: dict[str, Any]) -> str | None:  # noqa: PLR0911  (a token for each attack)
        """A token that no library makes by itself, where that is wanted."""
        if self.wrong == "nested":
            return jws.serialize_compact({"alg": "ES256", "kid": self.key.kid}, NESTED, self.key)
        if self.wrong in {"nested header", "header is no object"}:
            outer = NESTED if self.wrong == "nested header" else "[]"
            return f"{_packed(outer)}.{_part(claims)}.{_packed('signature')}"
        if self.wrong == "by a key of its own header":
            own = ECKey.generate_key("P-256")
            return jwt.encode({"alg": "ES256", "kid": "one", "jwk": own.as_dict(private=False)}, claims, own)
        if self.wrong == "with a header that must be understood":
            registry = jws.JWSRegistry({"cost": HeaderParameter("Cost", "int")})
            header = {"alg": "ES256", "kid": self.key.kid, "crit": ["cost"], "cost": 7}
            return jws.serialize_compact(header, json.dumps(claims), self.key, registry=registry)
        if self.wrong == "subject has half a letter":
            return jws.serialize_compact({"alg": "ES256", "kid": self.key.kid}, json.dumps(claims), self.key)
        if self.wrong in {"None", "nOnE", "HS256 without a secret"}:
            alg = self.wrong.split()[0]
            return f"{_part({'alg': alg, 'typ': 'JWT', 'kid': 'one'})}.{_part(claims)}."
        return None

    def change_key(self) -> None:
        self.key = ECKey.generate_key("P-256", {"kid": secrets.token_hex(4)})


def _part(value: object) -> str:
    return _packed(json.dumps(value))


def _packed(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


class _Handler(BaseHTTPRequestHandler):
    issuer: Issuer

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        self.issuer.requests.append(address.path)
        while self.issuer.wrong == "says nothing":
            time.sleep(0.02)
        if self._attack():
            return
        if address.path == "/.well-known/openid-configuration":
            self._answer(*((200, self.issuer.discovery()) if self.issuer.wrong != "no discovery" else (404, {})))
        elif address.path == "/jwks":
            self._answer(200, {"keys": [(self.issuer.published or self.issuer.key).as_dict(private=False)]})
        elif address.path == "/userinfo":
            name = self.headers.get("authorization", "").removeprefix("Bearer for ")
            owner = "somebody@numalens.example" if self.issuer.wrong == "userinfo of another" else name
            self._answer(200, {"sub": f"account of {owner}", "email": name, "email_verified": True})
        elif address.path == "/authorize":
            self._sign_in({key: values[0] for key, values in parse_qs(address.query).items()})
        elif address.path == "/leave":
            there = self.issuer.leave({key: values[0] for key, values in parse_qs(address.query).items()})
            self._send(200 if there is None else 302, b"", {} if there is None else {"Location": there})
        else:
            self._answer(404, {})

    def do_POST(self) -> None:
        self.issuer.requests.append(self.path)
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {key: values[0] for key, values in parse_qs(body).items()}
        if self._attack():
            return
        if self.issuer.wrong == "sends on":
            self._send(302, b"", {"Location": "http://127.0.0.1:1/token"})
            return
        self._answer(*self.issuer.token(self.headers.get("authorization", ""), form))

    def _sign_in(self, query: dict[str, str]) -> None:
        there = self.issuer.authorize(query)
        if there is not None:
            self._send(302, b"", {"Location": there})
            return
        links = [(f"{self.path}&{urlencode({'name': name})}", name) for name in self.issuer.names]
        buttons = "".join(f'<p><a href="{escape(link)}">{escape(name)}</a></p>' for link, name in links)
        page = f'<!doctype html><html lang="en"><title>Issuer</title><h1>Who are you?</h1>{buttons}</html>'
        self._send(200, page.encode(), {"Content-Type": "text/html; charset=utf-8"})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, json.dumps(body).encode(), {"Content-Type": "application/json"})

    def _attack(self) -> bool:
        """Answers in a way that no client must wait for or keep, where that is wanted."""
        if self.issuer.wrong == "nested answer":
            self._send(200, NESTED.encode(), {"Content-Type": "application/json"})
        elif self.issuer.wrong == "packed answer":
            packed = gzip.compress(b" " * (1 << 24))
            self._send(200, packed, {"Content-Type": "application/json", "Content-Encoding": "gzip"})
        elif self.issuer.wrong == "endless answer":
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.issuer.sent += self.wfile.write(b" " * (1 << 16))
        elif self.issuer.wrong == "slow answer":
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while self.issuer.wrong:
                    self.wfile.write(b" ")
                    time.sleep(0.02)
        else:
            return False
        return True

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _server(issuer: Issuer, port: int) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"issuer": issuer}))
    server.daemon_threads = True
    issuer.port = server.server_address[1]
    return server


@contextmanager
def running_issuer(*names: str) -> Iterator[Issuer]:
    issuer = Issuer(names=names)
    server = _server(issuer, 0)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    _server(Issuer(names=tuple(sys.argv[2:])), int(sys.argv[1])).serve_forever()
