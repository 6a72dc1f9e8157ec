@_exported public import BlekeepReadings
