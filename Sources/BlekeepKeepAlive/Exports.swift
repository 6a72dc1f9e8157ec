@_exported public import BlekeepBluetooth
@_exported public import BlekeepReadings
