"""Who a client is, and for whom it may act."""

from proxy.authentication.proxy_users import ProxyUsers

__all__ = ["ProxyUsers"]
