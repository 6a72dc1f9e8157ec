@_exported public import BlekeepKeepAlive
