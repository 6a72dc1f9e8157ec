@_exported public import BlekeepRecords
