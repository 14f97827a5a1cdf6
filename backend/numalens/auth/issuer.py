"""Sign-in by OpenID Connect: authorization code with PKCE, by Authlib. All requests of the server to others are here.

Between the two halves of a sign-in, only a random secret is kept, in a cookie of the browser that started it. State, nonce and
PKCE verifier are derived from the secret, so that a response for another browser is useless.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import ssl
import time
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from numalens.auth.checks import is_safe_address
from numalens.auth.rules import known_name
from numalens.errors import SentenceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numalens.settings import Settings

with suppress(ModuleNotFoundError):  # the extra team
    import httpx2
    from authlib.common.urls import add_params_to_uri
    from authlib.integrations.httpx_client import AsyncOAuth2Client, OAuthError
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import InvalidKeyIdError, JoseError
    from joserfc.jwk import KeySet
    from joserfc.jws import JWSRegistry

    from numalens.auth.bounded import bound

    # Deeply nested JSON raises RecursionError.
    FAILURES: Final = (httpx2.HTTPError, ValueError, TimeoutError, RecursionError)

# Signed by the issuer alone: neither unsigned, nor by a secret that others may know.
ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
TIMEOUT_S: Final = 10.0
"""Time limit of one request, from its first byte to the last byte of the answer."""
MOST_SUBJECT: Final = 255
"""Letters of an account's name, by OpenID Connect."""
METADATA_S: Final = 3600.0
LEAVING_S: Final = 3.0
"""Time limit for the provider's answer at sign-out."""
LEEWAY_S: Final = 60
MOST_GROUPS: Final = 1000
NEEDED: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Flow:
    """One sign-in under way, made of the secret in the browser's cookie."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def of(cls, secret: str) -> Self:
        """The values of a secret; none of them reveals another or the secret."""
        return cls(*(_derived(secret, what) for what in ("state", "nonce", "verifier")))


@dataclass(frozen=True)
class Vouched:
    """Identity that the provider vouches for."""

    name: str
    subject: str
    """Issuer and its own name for the account, which never changes; names may."""
    groups: tuple[str, ...]


class Issuer:
    """One issuer of OpenID Connect, known by its discovery document."""

    def __init__(self, settings: Settings) -> None:
        """Takes provider, client and claims from the settings, without a request."""
        self._settings = settings
        self._metadata: dict[str, Any] | None = None
        self._keys: Any = None
        self._loaded = 0.0

    @staticmethod
    def flow(secret: str) -> Flow:
        """The sign-in under way of a browser's secret."""
        return Flow.of(secret)

    @cached_property
    def _trusted(self) -> ssl.SSLContext:
        """The system's certificate authorities, loaded once: loading them takes longer than a request."""
        return ssl.create_default_context()

    async def address(self, flow: Flow, redirect_uri: str) -> str:
        """Address to which the browser must go. Raises 502 and 503 when the provider does not answer."""
        metadata = await self._known()
        async with self._client(metadata) as client:
            url, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                state=flow.state,
                nonce=flow.nonce,
                code_verifier=flow.verifier,
                redirect_uri=redirect_uri,
            )
            return str(url)

    async def vouched(self, flow: Flow, code: str, redirect_uri: str) -> Vouched:
        """Identity for a code. Raises 403 when the code or the token is invalid, 502 and 503 when the provider fails."""
        metadata = await self._known()
        try:
            async with asyncio.timeout(TIMEOUT_S), self._client(metadata) as client:
                answer = await client.fetch_token(
                    metadata["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    redirect_uri=redirect_uri,
                    code_verifier=flow.verifier,
                )
        except OAuthError as error:
            log.warning("the issuer refused a code: %s", error.error)
            raise SentenceError(403, "The identity provider did not accept this sign-in; start again.") from error
        except FAILURES as error:
            raise _failed(error) from error
        claims = await self._checked(answer, metadata, flow)
        if self._settings.oidc_name_claim not in claims and "userinfo_endpoint" in metadata:
            claims = await self._with_userinfo(claims, metadata, str(answer.get("access_token", "")))
        return self._vouched(claims, metadata["issuer"])

    async def way_out(self, home: str | None) -> str | None:
        """Address at which the browser also signs out at the provider, which returns it to `home`.

        None when the issuer offers no such thing, or fails: signing out here must not hang on it. The issuer learns only
        which client asks: an ID token as a hint would have to be kept for as long as the session.
        """
        try:
            async with asyncio.timeout(LEAVING_S):
                address = (await self._known()).get("end_session_endpoint")
        except (SentenceError, TimeoutError) as error:
            log.warning("signing out at the identity provider is not possible: %r", error)
            return None
        if not isinstance(address, str) or not is_safe_address(address):
            return None
        query = [("client_id", self._settings.oidc_client_id)]
        if home is not None:
            query.append(("post_logout_redirect_uri", home))
        return str(add_params_to_uri(address, query))

    def _client(self, metadata: Mapping[str, Any]) -> Any:  # noqa: ANN401  (Authlib has no types)
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        basic = "client_secret_basic" in methods
        return bound(
            AsyncOAuth2Client(
                client_id=self._settings.oidc_client_id,
                client_secret=self._settings.issuer_secret(),
                scope=self._settings.oidc_scopes,
                code_challenge_method="S256",
                token_endpoint_auth_method="client_secret_basic" if basic else "client_secret_post",
                timeout=TIMEOUT_S,
                verify=self._trusted,
                follow_redirects=False,
            )
        )

    async def _known(self) -> dict[str, Any]:
        """The discovery document, at most an hour old. Raises 502 and 503."""
        if self._metadata is None or time.monotonic() - self._loaded > METADATA_S:
            wanted = self._settings.oidc_issuer
            found = await self._json(f"{wanted.rstrip('/')}/.well-known/openid-configuration")
            if str(found.get("issuer", "")).rstrip("/") != wanted.rstrip("/"):
                raise SentenceError(502, "The identity provider's name differs from NUMALENS_OIDC_ISSUER.")
            if not all(isinstance(found.get(name), str) and is_safe_address(found[name]) for name in NEEDED):
                raise SentenceError(
                    502, "The issuer's discovery document lacks an address, or has one that is not https."
                )
            self._metadata, self._keys, self._loaded = found, None, time.monotonic()
        return self._metadata

    async def _checked(self, answer: Mapping[str, Any], metadata: Mapping[str, Any], flow: Flow) -> dict[str, Any]:
        """The claims of an ID token with a good signature that is for this very sign-in. Raises 403."""
        try:
            token = await self._decoded(str(answer["id_token"]), metadata["jwks_uri"])
            claims = CodeIDToken(
                token.claims,
                token.header,
                {
                    "iss": {"essential": True, "value": metadata["issuer"]},
                    "aud": {"essential": True, "value": self._settings.oidc_client_id},
                    "exp": {"essential": True},
                    "sub": {"essential": True},
                },
                {
                    "nonce": flow.nonce,
                    "client_id": self._settings.oidc_client_id,
                    "access_token": answer.get("access_token"),
                },
            )
            claims.validate(leeway=LEEWAY_S)
            _check_subject(claims["sub"])
        except (JoseError, KeyError, ValueError, TypeError) as error:
            log.warning("refusing an ID token: %s", type(error).__name__)
            raise SentenceError(
                403, "The identity provider's response is not valid for this sign-in; start again."
            ) from error
        return dict(claims)

    async def _decoded(self, token: str, address: str) -> jwt.Token:
        registry = JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)
        fresh = self._keys is None
        if fresh:
            self._keys = await self._json(address)
        try:
            return jwt.decode(token, KeySet.import_key_set(self._keys), registry=registry)
        except InvalidKeyIdError:
            if fresh:
                raise
            # Issuers change their keys from time to time.
            self._keys = await self._json(address)
            return jwt.decode(token, KeySet.import_key_set(self._keys), registry=registry)

    async def _with_userinfo(self, claims: dict[str, Any], metadata: Mapping[str, Any], token: str) -> dict[str, Any]:
        address = str(metadata["userinfo_endpoint"])
        if not is_safe_address(address):
            raise SentenceError(502, "The issuer's discovery document has an address that is not https.")
        info = await self._json(address, {"Authorization": f"Bearer {token}"})
        if info.get("sub") != claims["sub"]:
            raise SentenceError(403, "The identity provider's response is not valid for this sign-in; start again.")
        return {**info, **claims}

    async def _json(self, address: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A JSON object of the provider. Raises 503 when it cannot be reached, 502 for other answers."""
        try:
            plain = httpx2.AsyncClient(timeout=TIMEOUT_S, verify=self._trusted, follow_redirects=False)
            async with asyncio.timeout(TIMEOUT_S), bound(plain) as client:
                answer = await client.get(address, headers=dict(headers or {}))
                answer.raise_for_status()
                found = answer.json()
        except FAILURES as error:
            raise _failed(error) from error
        if not isinstance(found, dict):
            raise SentenceError(502, "The identity provider's response does not follow OpenID Connect.")
        return found

    def _vouched(self, claims: Mapping[str, Any], issuer: str) -> Vouched:
        claim = self._settings.oidc_name_claim
        name = claims.get(claim)
        if not isinstance(name, str) or not name:
            raise SentenceError(403, f"Sign-in failed: the identity provider's response has no {claim!r}.")
        # An unchecked address may belong to any user.
        if claim == "email" and claims.get("email_verified") is not True:
            raise SentenceError(403, "Sign-in failed: the identity provider has not verified your e-mail address.")
        groups = claims.get(self._settings.oidc_groups_claim)
        names = [group for group in groups if isinstance(group, str)] if isinstance(groups, list) else []
        return Vouched(known_name(name), f"{issuer} {claims['sub']}", tuple(names[:MOST_GROUPS]))


def _check_subject(subject: object) -> None:
    """Raises ValueError for the name of an account that no database keeps."""
    if not isinstance(subject, str) or len(subject) > MOST_SUBJECT or not subject.isprintable():
        raise ValueError("the subject is not an account name")


def _derived(secret: str, what: str) -> str:
    digest = hashlib.sha256(f"{what} {secret}".encode()).digest()
    return urlsafe_b64encode(digest).decode().rstrip("=")


def _failed(error: Exception) -> SentenceError:
    log.warning("the issuer failed: %r", error)
    if isinstance(error, httpx2.TransportError | TimeoutError):
        return SentenceError(503, "The identity provider cannot be reached; try again later.")
    return SentenceError(502, "The identity provider answered with an error; try again later.")
