"""Authentication: who may sign in, and who vouches for them.

Names and rules, a check of the settings before the service starts (`checks.py`), an issuer of OpenID Connect
(`issuer.py`, by Authlib) and a proxy's header (`rules.py`). The permissions of a user on an analysis are in
`store/members.py`, and `api/access.py` checks every request. No routes and no rows here.
"""
