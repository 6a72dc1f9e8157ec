@_exported public import BlekeepPoller
