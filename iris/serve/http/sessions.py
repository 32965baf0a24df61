"""Sign-in of browsers: a key is exchanged for a cookie, so that no address holds it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from html import escape
from urllib.parse import parse_qsl, urlencode

from iris.config.keys import ApiKey, key_matches
from iris.serve.http.answers import Answer
from iris.serve.http.limits import Limiter

COOKIE = "iris_session"
DAYS = 30
MOST = 256
EXCHANGES = 10
FORM_BYTES = 4096
HTML = "text/html"


class Sessions:
    """Who has signed in. They live in memory: a restart signs everybody out."""

    def __init__(self, keys: Sequence[ApiKey], clock: Callable[[], float] = time.time) -> None:
        self.keys, self.clock = keys, clock
        self.exchanges = Limiter(EXCHANGES)
        self._known: dict[str, float] = {}

    def valid(self, token: str | None) -> bool:
        """Whether a cookie is one of ours and not too old."""
        ends = self._known.get(token) if token else None
        return ends is not None and ends > self.clock()

    def open(self) -> str | None:
        """A new session; None when there are too many that still run."""
        now = self.clock()
        if len(self._known) >= MOST:
            self._known = {token: ends for token, ends in self._known.items() if ends > now}
        if len(self._known) >= MOST:
            return None
        token = secrets.token_urlsafe(32)
        self._known[token] = now + DAYS * 86_400
        return token

    def close(self, token: str | None) -> None:
        """End a session."""
        self._known.pop(token or "", None)

    def exchange(self, key: str, caller: str, where: str, *, secure: bool) -> Answer:
        """A key for a cookie, and on to the page. Faults 119, 121: a full house turns away, and never throws anybody out."""
        allowed, headers = self.exchanges.take(caller)
        if not allowed:
            return page(429, "Too many sign-ins from here; wait a minute.", headers)
        if key_matches(key, self.keys) is None:
            return page(403, "That is not a key of this server.")
        token = self.open()
        if token is None:
            return page(503, "Too many people are signed in; sign out somewhere, or restart the server.")
        cookie = f"{COOKIE}={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age={DAYS * 86_400}{'; Secure' if secure else ''}"
        return Answer(303 if where == "/" else 302, None, {"Location": where, "Set-Cookie": cookie})


def without_key(path: str, query: str) -> tuple[str | None, str]:
    """The key of an address, and the address without it; a place on this server alone."""
    pairs = parse_qsl(query, keep_blank_values=True)
    keys = [value for name, value in pairs if name == "key"]
    rest = urlencode([(name, value) for name, value in pairs if name != "key"])
    clean = "/" + path.lstrip("/\\")
    return (keys[0] if keys else None), clean + (f"?{rest}" if rest else "")


STYLE = """
:root{color-scheme:dark light}body{font:1rem/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center}
main{width:min(24rem,90vw)}label,input,button{display:block;width:100%;box-sizing:border-box}input,button{font:inherit;padding:.6rem;
margin:.3rem 0 1rem;min-height:2.75rem}[role=alert]{border-inline-start:.25rem solid;padding-inline-start:.75rem}
"""


def page(status: int, message: str = "", headers: dict[str, str] | None = None) -> Answer:
    """The page on which a key is given; no script, dark and light as the browser likes."""
    alert = f'<p role="alert">{escape(message)}</p>' if message else ""
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Sign in to Iris</title><style>{STYLE}</style></head><body><main><h1>Sign in to Iris</h1>{alert}"
        '<form method="post" action="/session"><label for="key">API key</label>'
        '<input id="key" name="key" type="password" autocomplete="current-password" required autofocus>'
        "<button>Sign in</button></form></main></body></html>"
    )
    policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    return Answer(status, html.encode(), {"Content-Security-Policy": policy, **(headers or {})}, HTML)
