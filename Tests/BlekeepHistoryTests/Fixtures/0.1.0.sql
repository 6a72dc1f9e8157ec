PRAGMA application_id = 1651272560;
PRAGMA user_version = 1;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    device TEXT NOT NULL,       -- the device's ID
    address TEXT NOT NULL,      -- another sensor with the ID has other rows
    alias TEXT NOT NULL,        -- as it was last
    service TEXT NOT NULL,
    characteristic TEXT NOT NULL,
    recipe TEXT NOT NULL,       -- its name; '' for a characteristic
    name TEXT NOT NULL,         -- the characteristic's, as it was last
    field TEXT,                 -- NULL: failed reads
    unit TEXT,
    instance INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,  -- the last reading in the rollups
    last_period INTEGER NOT NULL -- and its latest hour's row there
);
CREATE UNIQUE INDEX series_key ON series (
    device, address, service, characteristic, recipe, instance, ifnull(field, x''), ifnull(unit, x''),
    iif(service = '' AND characteristic = '' AND recipe = '', name, ''));
CREATE TABLE measurements (     -- AUTOINCREMENT would write one more page per commit; see `upkeep.given`
    seq INTEGER PRIMARY KEY,
    series INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    kind INTEGER NOT NULL,      -- 0 failed, 1 integer, 2 number, 3 text, 4 boolean, 5 list, 6 no value
    value,
    state TEXT,
    raw,
    error_code TEXT,
    error_message TEXT
);
CREATE TABLE rollups (
    minutes INTEGER NOT NULL,   -- how long the time is: 5 or 60
    period INTEGER NOT NULL,    -- twelve or 168 such times, so that a series' rows lie side by side
    series INTEGER NOT NULL,
    start INTEGER NOT NULL,     -- the time since 1970, in units of `minutes`
    count INTEGER NOT NULL,     -- values, or failed reads
    min REAL,                   -- NULL for what is no number
    max REAL,
    sum REAL,
    kind INTEGER NOT NULL,      -- of `last`, as in `measurements`
    last,
    last_ms INTEGER,            -- the time of `last`; NULL: unknown
    PRIMARY KEY (minutes, period, series, start)
) WITHOUT ROWID;
CREATE TABLE logged (           -- what devices kept in their own memory, each record once
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which the records came, for sinks
    series INTEGER NOT NULL,
    boot INTEGER NOT NULL,      -- the number of the device's start, as far as it is known
    slot INTEGER NOT NULL,      -- the number of the record
    time_ms INTEGER NOT NULL,
    kind INTEGER NOT NULL,      -- as in `measurements`
    value,
    UNIQUE (series, boot, slot)
);
CREATE INDEX logged_time ON logged (time_ms);
CREATE TABLE asked (            -- times for which a device gave all that its memory had
    device TEXT NOT NULL,       -- the device's ID
    address TEXT NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    PRIMARY KEY (device, address, from_ms)
) WITHOUT ROWID;
CREATE TABLE filled (           -- what came of asking a device's memory last
    device TEXT PRIMARY KEY,    -- the device's ID
    time_ms INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,  -- the oldest time that it was asked for
    stored INTEGER NOT NULL,    -- the values that were missing
    whole INTEGER NOT NULL      -- 0: the download was cut; the next one adds to it
) WITHOUT ROWID;
CREATE TABLE spans (            -- the times of some successive readings that are in the rollups
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
);
CREATE TABLE clocks (           -- none: the clock was always set
    first INTEGER PRIMARY KEY,  -- the number of the first reading
    boot TEXT NOT NULL,
    boot_ns INTEGER NOT NULL,   -- CLOCK_BOOTTIME
    time_ms INTEGER NOT NULL,   -- CLOCK_REALTIME at that moment
    state INTEGER NOT NULL,     -- 0 not set, 1 set, 2 being corrected, 3 corrected, 4 left as it is
    shift_ms INTEGER NOT NULL,  -- what is added to times that are corrected
    fixed INTEGER NOT NULL      -- the last reading whose time is corrected
);
CREATE TABLE parts (            -- a database of many histories knows a reading by its part and its number
    first INTEGER PRIMARY KEY,
    id TEXT NOT NULL            -- random: the same numbers in a restored copy are another part
);
CREATE TABLE owned (            -- the devices that this gateway owned last in a fleet's database
    device TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE server (           -- the PostgreSQL server that had the fleet's database last
    id INTEGER PRIMARY KEY CHECK (id = 1),
    system TEXT NOT NULL,       -- its system identifier
    timeline INTEGER NOT NULL
);
CREATE TABLE upkeep (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    given INTEGER,              -- the highest number of a reading that is there no more
    rolled INTEGER NOT NULL,    -- the last reading in the rollups
    rollup_bytes INTEGER NOT NULL, -- what the rollups take at most
    noticed INTEGER NOT NULL    -- whether the log has announced the removal of readings
);
CREATE TABLE salvages (
    copy TEXT PRIMARY KEY,      -- a damaged file in the same folder
    page INTEGER NOT NULL,      -- the next page to copy from
    readings INTEGER NOT NULL,  -- copied so far
    done INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE heartbeats (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    boot TEXT NOT NULL,
    from_boot_ns INTEGER NOT NULL, -- CLOCK_BOOTTIME
    from_awake_ns INTEGER NOT NULL, -- CLOCK_MONOTONIC
    from_ms INTEGER NOT NULL,   -- CLOCK_REALTIME: a label
    to_boot_ns INTEGER NOT NULL,
    to_awake_ns INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    synchronized INTEGER,
    seq INTEGER NOT NULL,       -- the last reading of the same commit
    state TEXT NOT NULL,
    mode TEXT NOT NULL,
    supply TEXT NOT NULL,
    from_percent REAL,
    to_percent REAL,
    scan_ms INTEGER NOT NULL,   -- how long the adapters scanned actively
    packets INTEGER NOT NULL,   -- of devices that blekeep listens to
    backlogs TEXT               -- {"mqtt":17}: readings that waited for a sink, at most; NULL: none did
);
CREATE TABLE activity (
    heartbeat INTEGER NOT NULL,
    device TEXT NOT NULL,       -- the device's ID
    alias TEXT NOT NULL,
    address TEXT NOT NULL,
    good INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    connects INTEGER NOT NULL,
    air_ms INTEGER NOT NULL,
    PRIMARY KEY (heartbeat, device, alias, address)
) WITHOUT ROWID;
CREATE TABLE downtimes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    heartbeat INTEGER NOT NULL, -- the first one after it
    cause TEXT NOT NULL,
    from_boot TEXT NOT NULL,
    from_boot_ns INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_boot TEXT NOT NULL,
    to_boot_ns INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    length_ms INTEGER           -- NULL: no clock tells
);
CREATE TABLE attempts (
    device TEXT NOT NULL,       -- the device's ID; '' for what concerned every device
    number INTEGER NOT NULL,
    phase TEXT NOT NULL,
    code TEXT,                  -- NULL: it went well
    message TEXT,
    remedy TEXT,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    count INTEGER NOT NULL,
    pause_ms INTEGER,
    PRIMARY KEY (device, number)
) WITHOUT ROWID;
CREATE TABLE statuses (
    device TEXT PRIMARY KEY,    -- the device's ID
    address TEXT NOT NULL,
    name TEXT NOT NULL,
    run INTEGER NOT NULL,       -- start time of the run that wrote this row
    -- Its fields, as `DeviceStatus.fields` has them.
    state TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    last_value_ms INTEGER,
    good_in_a_row INTEGER NOT NULL,
    failed_in_a_row INTEGER NOT NULL,
    phase TEXT,
    code TEXT,
    message TEXT,
    remedy TEXT,
    next_ms INTEGER,
    interval_ms INTEGER,
    interval_reason TEXT NOT NULL,
    link TEXT NOT NULL,
    rssi INTEGER,
    adapter TEXT,
    bonded INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    dropped_of INTEGER NOT NULL,
    paused INTEGER NOT NULL,
    paused_until_ms INTEGER,
    firing TEXT,
    identity TEXT,
    entries INTEGER NOT NULL,
    last_count INTEGER NOT NULL,
    last_end_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE poller (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pid INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    code TEXT,
    message TEXT,
    power_mode TEXT,            -- NULL: not read yet
    power_reason TEXT,
    missed_lines INTEGER,       -- what the reader of the poller's output missed; NULL: nothing
    is_stalled INTEGER,
    one_off INTEGER NOT NULL,   -- whether the run ends by itself, after some ticks
    slow_writes INTEGER,        -- for which the disk took long; NULL: none
    slowest_ms INTEGER,
    slow_last_ms INTEGER
);
CREATE TABLE life (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    boot TEXT NOT NULL,
    boot_ns INTEGER NOT NULL,   -- CLOCK_BOOTTIME
    awake_ns INTEGER NOT NULL,  -- CLOCK_MONOTONIC
    time_ms INTEGER NOT NULL,
    silence_ms INTEGER NOT NULL -- the next sign of life comes within this time; sleep does not count
);
CREATE TABLE adapters (
    name TEXT PRIMARY KEY,
    run INTEGER NOT NULL,       -- start time of the run that wrote this row
    is_on INTEGER NOT NULL,
    trouble TEXT,               -- cycling, stuck, no_discovery, no_new_links, too_many_devices, no_filter; NULL: none
    since_ms INTEGER,           -- of no_new_links: when the last link was made
    attempts INTEGER,           -- of no_new_links: how many failed since
    devices INTEGER,            -- of no_new_links: to how many devices; of too_many_devices: how many take turns
    need_ms INTEGER,            -- of too_many_devices: the time that they need
    interval_ms INTEGER,        -- for each such time; NULL: for each minute
    listening TEXT              -- passive, windows, open, deaf; NULL: for no device
) WITHOUT ROWID;
CREATE TABLE rules (
    rule TEXT NOT NULL,
    device TEXT NOT NULL,       -- the device's ID
    run INTEGER NOT NULL,       -- start time of the run that wrote this row
    condition TEXT NOT NULL,    -- its text; with another one, the rule begins again
    phase TEXT NOT NULL,        -- calm, pending, firing, ending
    since_boot TEXT,            -- of pending and ending, by CLOCK_BOOTTIME and CLOCK_REALTIME
    since_boot_ms INTEGER,
    since_ms INTEGER,
    since_set INTEGER,          -- whether the clock was set
    firings INTEGER NOT NULL,   -- how often it fired
    fired_boot TEXT,            -- when it fired last
    fired_boot_ms INTEGER,
    fired_ms INTEGER,
    fired_set INTEGER,
    ended_boot TEXT,            -- when it ended last
    ended_boot_ms INTEGER,
    ended_ms INTEGER,
    ended_set INTEGER,
    message TEXT,               -- why it fires or ended
    PRIMARY KEY (rule, device)
) WITHOUT ROWID;
CREATE TABLE firings (          -- the log of rules
    device TEXT NOT NULL,       -- the device's ID
    rule TEXT NOT NULL,
    number INTEGER NOT NULL,    -- as in rules.firings
    fired_ms INTEGER NOT NULL,
    ended_ms INTEGER,           -- NULL: not yet, or the rule has left the configuration
    cause TEXT,                 -- why it fired
    ending TEXT,                -- why it ended
    PRIMARY KEY (device, rule, number)
) WITHOUT ROWID;
CREATE TABLE notices (          -- what 'blekeep notices' gave, one row for each
    id INTEGER PRIMARY KEY,
    time_ms INTEGER NOT NULL,
    event TEXT NOT NULL,
    device TEXT,                -- the device's ID; NULL: about the gateway
    rule TEXT,                  -- its name; NULL: about no rule
    message TEXT NOT NULL,
    failure TEXT                -- why its command failed; NULL: it didn't
);
CREATE TABLE sinks (
    name TEXT PRIMARY KEY,
    run INTEGER NOT NULL,       -- start time of the run that wrote this row
    position INTEGER,           -- the last reading that it has; NULL: it gets only what comes now
    logged INTEGER,             -- the last of `logged` that it has; NULL: it gets none of it
    backlog INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    error TEXT,                 -- NULL: it took what came last
    retry_ms INTEGER,
    confirmed TEXT              -- "17-99,120-120": numbers above the position that it has
) WITHOUT ROWID;
CREATE VIEW readings AS         -- for users
    SELECT seq, strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time,
        series.alias AS device, series.device AS id, series.address, nullif(service, '') AS service,
        nullif(characteristic, '') AS characteristic, nullif(recipe, '') AS recipe, instance, name, field,
        CASE kind WHEN 4 THEN iif(value, 'true', 'false') ELSE value END AS value, unit, state,
        error_code AS error, error_message AS message, tick, time_ms
    FROM measurements JOIN series ON series.id = measurements.series;
CREATE VIEW logged_readings AS  -- what devices kept in their own memory
    SELECT strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time, series.alias AS device,
        series.device AS id, series.address, name, field, value, unit, boot, slot, time_ms
    FROM logged JOIN series ON series.id = logged.series;
CREATE VIEW newest AS           -- the last reading of each series
    SELECT * FROM readings WHERE seq IN (SELECT max(seq) FROM measurements GROUP BY series);
CREATE VIEW hourly AS           -- the numbers of each hour, also of readings that are there no more
    SELECT strftime('%Y-%m-%dT%H:%M:%SZ', start * 3600, 'unixepoch') AS time, series.alias AS device,
        series.device AS id, series.address, name, instance, field, unit, count, min, sum / count AS mean, max,
        last
    FROM rollups JOIN series ON series.id = rollups.series
    WHERE minutes = 60 AND field IS NOT NULL AND count > 0;
INSERT INTO grdb_migrations VALUES ('1');
INSERT INTO series VALUES (1, 'f00000000001', 'F0:00:00:00:00:01', 'Living Room', '181a', '2a6e', '', 'Temperature', 'temperature', '°C', 1, 1, 2969);
INSERT INTO series VALUES (2, 'f00000000001', 'F0:00:00:00:00:01', 'Living Room', '181a', '2a6f', '', 'Humidity', 'humidity', '%', 1, 2, 2969);
INSERT INTO series VALUES (3, 'f00000000001', 'F0:00:00:00:00:01', 'Living Room', '181a', '2a6d', '', 'Pressure', 'pressure', 'Pa', 1, 3, 2969);
INSERT INTO series VALUES (4, 'f00000000001', 'F0:00:00:00:00:01', 'Living Room', '180f', '2a19', '', 'Battery Level', 'battery_level', '%', 1, 4, 2969);
INSERT INTO series VALUES (5, 'f00000000002', 'F0:00:00:00:00:02', 'Freezer', '181a', '2a6e', '', 'Temperature', 'temperature', '°C', 1, 5, 2969);
INSERT INTO series VALUES (6, 'f00000000002', 'F0:00:00:00:00:02', 'Freezer', '181a', '2a6f', '', 'Humidity', 'humidity', '%', 1, 6, 2969);
INSERT INTO series VALUES (7, 'f00000000002', 'F0:00:00:00:00:02', 'Freezer', '181a', '2a6d', '', 'Pressure', 'pressure', 'Pa', 1, 7, 2969);
INSERT INTO series VALUES (8, 'f00000000002', 'F0:00:00:00:00:02', 'Freezer', '180f', '2a19', '', 'Battery Level', 'battery_level', '%', 1, 8, 2969);
INSERT INTO series VALUES (9, 'f00000000003', 'F0:00:00:00:00:03', 'Greenhouse', '181a', '2a6e', '', 'Temperature', 'temperature', '°C', 1, 9, 2969);
INSERT INTO series VALUES (10, 'f00000000003', 'F0:00:00:00:00:03', 'Greenhouse', '181a', '2a6f', '', 'Humidity', 'humidity', '%', 1, 10, 2969);
INSERT INTO series VALUES (11, 'f00000000003', 'F0:00:00:00:00:03', 'Greenhouse', '181a', '2a6d', '', 'Pressure', 'pressure', 'Pa', 1, 11, 2969);
INSERT INTO series VALUES (12, 'f00000000003', 'F0:00:00:00:00:03', 'Greenhouse', '180f', '2a19', '', 'Battery Level', 'battery_level', '%', 1, 12, 2969);
INSERT INTO series VALUES (13, 'f00000000004', 'F0:00:00:00:00:04', 'Bedroom', '181a', '2a6e', '', 'Temperature', 'temperature', '°C', 1, 13, 2969);
INSERT INTO series VALUES (14, 'f00000000004', 'F0:00:00:00:00:04', 'Bedroom', '181a', '2a6f', '', 'Humidity', 'humidity', '%', 1, 14, 2969);
INSERT INTO series VALUES (15, 'f00000000004', 'F0:00:00:00:00:04', 'Bedroom', '181a', '2a6d', '', 'Pressure', 'pressure', 'Pa', 1, 15, 2969);
INSERT INTO series VALUES (16, 'f00000000004', 'F0:00:00:00:00:04', 'Bedroom', '180f', '2a19', '', 'Battery Level', 'battery_level', '%', 1, 16, 2969);
INSERT INTO series VALUES (17, 'f00000000005', 'F0:00:00:00:00:05', 'Cellar', '181a', '2a6e', '', 'Temperature', 'temperature', '°C', 1, 17, 2969);
INSERT INTO series VALUES (18, 'f00000000005', 'F0:00:00:00:00:05', 'Cellar', '181a', '2a6f', '', 'Humidity', 'humidity', '%', 1, 18, 2969);
INSERT INTO series VALUES (19, 'f00000000005', 'F0:00:00:00:00:05', 'Cellar', '181a', '2a6d', '', 'Pressure', 'pressure', 'Pa', 1, 19, 2969);
INSERT INTO series VALUES (20, 'f00000000005', 'F0:00:00:00:00:05', 'Cellar', '180f', '2a19', '', 'Battery Level', 'battery_level', '%', 1, 20, 2969);
INSERT INTO series VALUES (21, 'f00000000006', 'F0:00:00:00:00:06', 'Attic', '181a', '2a6e', '', 'Temperature', 'temperature', '°C', 1, 21, 2969);
INSERT INTO series VALUES (22, 'f00000000006', 'F0:00:00:00:00:06', 'Attic', '181a', '2a6f', '', 'Humidity', 'humidity', '%', 1, 22, 2969);
INSERT INTO series VALUES (23, 'f00000000006', 'F0:00:00:00:00:06', 'Attic', '181a', '2a6d', '', 'Pressure', 'pressure', 'Pa', 1, 23, 2969);
INSERT INTO series VALUES (24, 'f00000000006', 'F0:00:00:00:00:06', 'Attic', '180f', '2a19', '', 'Battery Level', 'battery_level', '%', 1, 24, 2969);
INSERT INTO measurements VALUES (1, 1, 1795985600000, 1, 2, 18.8, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (2, 2, 1795985600000, 1, 2, 45.0, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (3, 3, 1795985600000, 1, 2, 1.0089040000000000873e+05, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (4, 4, 1795985600000, 1, 1, 100, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (5, 5, 1795985599963, 1, 2, -17.73, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (6, 6, 1795985599963, 1, 2, 53.2, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (7, 7, 1795985599963, 1, 2, 101051.8, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (8, 8, 1795985599963, 1, 1, 63, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (9, 9, 1795985599926, 1, 2, 1.90800000000000018474e+01, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (10, 10, 1795985599926, 1, 2, 51.81, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (11, 11, 1795985599926, 1, 2, 101572.3, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (12, 12, 1795985599926, 1, 1, 26, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (13, 13, 1795985599889, 1, 2, 2.15800000000000018478e+01, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (14, 14, 1795985599889, 1, 2, 52.31, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (15, 15, 1795985599889, 1, 2, 101225.1, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (16, 16, 1795985599889, 1, 1, 86, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (17, 17, 1795985599852, 1, 2, 21.52, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (18, 18, 1795985599852, 1, 2, 58.63, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (19, 19, 1795985599852, 1, 2, 1.01703400000000008726e+05, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (20, 20, 1795985599852, 1, 1, 49, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (21, 21, 1795985599815, 1, 2, 20.63, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (22, 22, 1795985599815, 1, 2, 53.99, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (23, 23, 1795985599815, 1, 2, 101764.5, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (24, 24, 1795985599815, 1, 1, 12, NULL, X'0108', NULL, NULL);
INSERT INTO measurements VALUES (25, 1, 1795987400000, 2, 2, 18.86, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (26, 2, 1795987400000, 2, 2, 45.61, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (27, 3, 1795987400000, 2, 2, 100988.1, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (28, 4, 1795987400000, 2, 1, 100, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (29, 5, 1795987399963, 2, 2, -17.46, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (30, 6, 1795987399963, 2, 2, 52.92, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (31, 7, 1795987399963, 2, 2, 101139.5, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (32, 8, 1795987399963, 2, 1, 63, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (33, 9, 1795987399926, 2, 2, 19.35, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (34, 10, 1795987399926, 2, 2, 52.93, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (35, 11, 1795987399926, 2, 2, 101584.0, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (36, 12, 1795987399926, 2, 1, 26, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (37, 13, 1795987399889, 2, 2, 21.77, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (38, 14, 1795987399889, 2, 2, 5.33000000000000042623e+01, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (39, 15, 1795987399889, 2, 2, 1.01264400000000008735e+05, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (40, 16, 1795987399889, 2, 1, 86, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (41, 17, 1795987399852, 2, 2, 21.61, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (42, 18, 1795987399852, 2, 2, 59.54, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (43, 19, 1795987399852, 2, 2, 1.01726200000000011644e+05, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (44, 20, 1795987399852, 2, 1, 49, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (45, 21, 1795987399815, 2, 2, 20.62, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (46, 22, 1795987399815, 2, 2, 54.75, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (47, 23, 1795987399815, 2, 2, 101770.0, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (48, 24, 1795987399815, 2, 1, 12, NULL, X'0208', NULL, NULL);
INSERT INTO measurements VALUES (49, 1, 1795989200000, 3, 2, 18.94, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (50, 2, 1795989200000, 3, 2, 46.19, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (51, 3, 1795989200000, 3, 2, 1.01024400000000008734e+05, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (52, 4, 1795989200000, 3, 1, 100, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (53, 5, 1795989199963, 3, 2, -17.29, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (54, 6, 1795989199963, 3, 2, 53.74, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (55, 7, 1795989199963, 3, 2, 101162.5, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (56, 8, 1795989199963, 3, 1, 63, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (57, 9, 1795989199926, 3, 2, 19.61, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (58, 10, 1795989199926, 3, 2, 5.29100000000000036948e+01, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (59, 11, 1795989199926, 3, 2, 101625.3, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (60, 12, 1795989199926, 3, 1, 26, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (61, 13, 1795989199889, 3, 2, 21.89, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (62, 14, 1795989199889, 3, 2, 53.27, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (63, 15, 1795989199889, 3, 2, 101381.5, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (64, 16, 1795989199889, 3, 1, 86, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (65, 17, 1795989199852, 3, 2, 21.77, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (66, 18, 1795989199852, 3, 2, 59.47, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (67, 19, 1795989199852, 3, 2, 1.01764200000000011646e+05, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (68, 20, 1795989199852, 3, 1, 49, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (69, 21, 1795989199815, 3, 2, 20.92, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (70, 22, 1795989199815, 3, 2, 54.15, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (71, 23, 1795989199815, 3, 2, 1.01783200000000011642e+05, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (72, 24, 1795989199815, 3, 1, 12, NULL, X'0308', NULL, NULL);
INSERT INTO measurements VALUES (73, 1, 1795991000000, 4, 2, 19.39, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (74, 2, 1795991000000, 4, 2, 46.37, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (75, 3, 1795991000000, 4, 2, 101024.0, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (76, 4, 1795991000000, 4, 1, 100, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (77, 5, 1795990999963, 4, 2, -16.98, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (78, 6, 1795990999963, 4, 2, 55.14, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (79, 7, 1795990999963, 4, 2, 1.0124920000000001164e+05, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (80, 8, 1795990999963, 4, 1, 63, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (81, 9, 1795990999926, 4, 2, 19.55, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (82, 10, 1795990999926, 4, 2, 5.36200000000000045466e+01, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (83, 11, 1795990999926, 4, 2, 1.0172070000000001164e+05, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (84, 12, 1795990999926, 4, 1, 26, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (85, 13, 1795990999889, 4, 2, 21.78, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (86, 14, 1795990999889, 4, 2, 53.77, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (87, 15, 1795990999889, 4, 2, 101342.0, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (88, 16, 1795990999889, 4, 1, 86, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (89, 17, 1795990999852, 4, 2, 21.8, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (90, 18, 1795990999852, 4, 2, 59.77, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (91, 19, 1795990999852, 4, 2, 101777.6, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (92, 20, 1795990999852, 4, 1, 49, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (93, 21, 1795990999815, 4, 2, 20.88, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (94, 22, 1795990999815, 4, 2, 54.21, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (95, 23, 1795990999815, 4, 2, 101784.0, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (96, 24, 1795990999815, 4, 1, 12, NULL, X'0408', NULL, NULL);
INSERT INTO measurements VALUES (97, 1, 1795992800000, 5, 2, 1.94900000000000019895e+01, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (98, 2, 1795992800000, 5, 2, 47.19, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (99, 3, 1795992800000, 5, 2, 101066.6, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (100, 4, 1795992800000, 5, 1, 100, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (101, 5, 1795992799963, 5, 2, -17.09, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (102, 6, 1795992799963, 5, 2, 54.88, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (103, 7, 1795992799963, 5, 2, 1.0129140000000000873e+05, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (104, 8, 1795992799963, 5, 1, 63, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (105, 9, 1795992799926, 5, 2, 19.79, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (106, 10, 1795992799926, 5, 2, 54.78, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (107, 11, 1795992799926, 5, 2, 101756.8, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (108, 12, 1795992799926, 5, 1, 26, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (109, 13, 1795992799889, 5, 2, 21.91, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (110, 14, 1795992799889, 5, 2, 5.36200000000000045466e+01, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (111, 15, 1795992799889, 5, 2, 101443.6, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (112, 16, 1795992799889, 5, 1, 86, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (113, 17, 1795992799852, 5, 2, 22.01, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (114, 18, 1795992799852, 5, 2, 60.56, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (115, 19, 1795992799852, 5, 2, 1.01772700000000011636e+05, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (116, 20, 1795992799852, 5, 1, 49, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (117, 21, 1795992799815, 5, 2, 20.52, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (118, 22, 1795992799815, 5, 2, 54.84, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (119, 23, 1795992799815, 5, 2, 101760.5, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (120, 24, 1795992799815, 5, 1, 12, NULL, X'0508', NULL, NULL);
INSERT INTO measurements VALUES (121, 1, 1795994600000, 6, 2, 19.6, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (122, 2, 1795994600000, 6, 2, 4.81200000000000045492e+01, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (123, 3, 1795994600000, 6, 2, 1.01164900000000008734e+05, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (124, 4, 1795994600000, 6, 1, 100, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (125, 5, 1795994599963, 6, 2, -16.82, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (126, 6, 1795994599963, 6, 2, 55.7, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (127, 7, 1795994599963, 6, 2, 101295.6, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (128, 8, 1795994599963, 6, 1, 63, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (129, 13, 1795994599889, 6, 2, 22.02, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (130, 14, 1795994599889, 6, 2, 54.21, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (131, 15, 1795994599889, 6, 2, 101475.8, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (132, 16, 1795994599889, 6, 1, 86, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (133, 17, 1795994599852, 6, 2, 2.19900000000000019886e+01, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (134, 18, 1795994599852, 6, 2, 6.00500000000000042641e+01, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (135, 19, 1795994599852, 6, 2, 1.01758700000000011642e+05, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (136, 20, 1795994599852, 6, 1, 49, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (137, 21, 1795994599815, 6, 2, 20.45, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (138, 22, 1795994599815, 6, 2, 54.18, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (139, 23, 1795994599815, 6, 2, 101740.1, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (140, 24, 1795994599815, 6, 1, 12, NULL, X'0608', NULL, NULL);
INSERT INTO measurements VALUES (141, 1, 1795996400000, 7, 2, 19.71, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (142, 2, 1795996400000, 7, 2, 48.67, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (143, 3, 1795996400000, 7, 2, 1.01185400000000008734e+05, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (144, 4, 1795996400000, 7, 1, 100, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (145, 5, 1795996399963, 7, 2, -16.61, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (146, 6, 1795996399963, 7, 2, 56.02, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (147, 7, 1795996399963, 7, 2, 101341.8, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (148, 8, 1795996399963, 7, 1, 63, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (149, 13, 1795996399889, 7, 2, 22.2, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (150, 14, 1795996399889, 7, 2, 55.0, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (151, 15, 1795996399889, 7, 2, 101487.0, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (152, 16, 1795996399889, 7, 1, 86, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (153, 17, 1795996399852, 7, 2, 21.78, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (154, 18, 1795996399852, 7, 2, 60.44, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (155, 19, 1795996399852, 7, 2, 1.01722200000000011644e+05, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (156, 20, 1795996399852, 7, 1, 49, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (157, 21, 1795996399815, 7, 2, 20.32, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (158, 22, 1795996399815, 7, 2, 54.18, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (159, 23, 1795996399815, 7, 2, 1.01741400000000008728e+05, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (160, 24, 1795996399815, 7, 1, 12, NULL, X'0708', NULL, NULL);
INSERT INTO measurements VALUES (161, 1, 1795998200000, 8, 2, 1.98300000000000018474e+01, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (162, 2, 1795998200000, 8, 2, 49.08, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (163, 3, 1795998200000, 8, 2, 101285.0, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (164, 4, 1795998200000, 8, 1, 100, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (165, 5, 1795998199963, 8, 2, -16.38, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (166, 6, 1795998199963, 8, 2, 57.34, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (167, 7, 1795998199963, 8, 2, 101347.6, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (168, 8, 1795998199963, 8, 1, 63, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (169, 13, 1795998199889, 8, 2, 22.26, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (170, 14, 1795998199889, 8, 2, 55.06, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (171, 15, 1795998199889, 8, 2, 101495.3, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (172, 16, 1795998199889, 8, 1, 86, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (173, 17, 1795998199852, 8, 2, 21.7, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (174, 18, 1795998199852, 8, 2, 6.03700000000000045483e+01, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (175, 19, 1795998199852, 8, 2, 101706.8, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (176, 20, 1795998199852, 8, 1, 49, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (177, 21, 1795998199815, 8, 2, 20.18, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (178, 22, 1795998199815, 8, 2, 5.39100000000000036939e+01, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (179, 23, 1795998199815, 8, 2, 1.01715400000000008736e+05, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (180, 24, 1795998199815, 8, 1, 12, NULL, X'0808', NULL, NULL);
INSERT INTO measurements VALUES (181, 1, 1796000000000, 9, 2, 20.3, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (182, 2, 1796000000000, 9, 2, 49.94, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (183, 3, 1796000000000, 9, 2, 101330.3, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (184, 4, 1796000000000, 9, 1, 100, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (185, 5, 1795999999963, 9, 2, -16.11, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (186, 6, 1795999999963, 9, 2, 57.57, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (187, 7, 1795999999963, 9, 2, 1.01454200000000011646e+05, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (188, 8, 1795999999963, 9, 1, 63, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (189, 13, 1795999999889, 9, 2, 22.02, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (190, 14, 1795999999889, 9, 2, 54.14, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (191, 15, 1795999999889, 9, 2, 1.01499700000000011646e+05, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (192, 16, 1795999999889, 9, 1, 86, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (193, 17, 1795999999852, 9, 2, 2.1900000000000002132e+01, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (194, 18, 1795999999852, 9, 2, 59.42, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (195, 19, 1795999999852, 9, 2, 1.0168770000000001164e+05, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (196, 20, 1795999999852, 9, 1, 49, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (197, 21, 1795999999815, 9, 2, 2.0240000000000001989e+01, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (198, 22, 1795999999815, 9, 2, 52.86, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (199, 23, 1795999999815, 9, 2, 101692.8, NULL, X'0908', NULL, NULL);
INSERT INTO measurements VALUES (200, 24, 1795999999815, 9, 1, 12, NULL, X'0908', NULL, NULL);
INSERT INTO rollups VALUES (5, 498884, 1, 5986618, 1, 18.8, 18.8, 18.8, 2, 18.8, 1795985600000);
INSERT INTO rollups VALUES (5, 498884, 2, 5986618, 1, 45.0, 45.0, 45.0, 2, 45.0, 1795985600000);
INSERT INTO rollups VALUES (5, 498884, 3, 5986618, 1, 1.0089040000000000873e+05, 1.0089040000000000873e+05, 1.0089040000000000873e+05, 2, 1.0089040000000000873e+05, 1795985600000);
INSERT INTO rollups VALUES (5, 498884, 4, 5986618, 1, 100.0, 100.0, 100.0, 1, 100, 1795985600000);
INSERT INTO rollups VALUES (5, 498884, 5, 5986618, 1, -17.73, -17.73, -17.73, 2, -17.73, 1795985599963);
INSERT INTO rollups VALUES (5, 498884, 6, 5986618, 1, 53.2, 53.2, 53.2, 2, 53.2, 1795985599963);
INSERT INTO rollups VALUES (5, 498884, 7, 5986618, 1, 101051.8, 101051.8, 101051.8, 2, 101051.8, 1795985599963);
INSERT INTO rollups VALUES (5, 498884, 8, 5986618, 1, 63.0, 63.0, 63.0, 1, 63, 1795985599963);
INSERT INTO rollups VALUES (5, 498884, 9, 5986618, 1, 1.90800000000000018474e+01, 1.90800000000000018474e+01, 1.90800000000000018474e+01, 2, 1.90800000000000018474e+01, 1795985599926);
INSERT INTO rollups VALUES (5, 498884, 10, 5986618, 1, 51.81, 51.81, 51.81, 2, 51.81, 1795985599926);
INSERT INTO rollups VALUES (5, 498884, 11, 5986618, 1, 101572.3, 101572.3, 101572.3, 2, 101572.3, 1795985599926);
INSERT INTO rollups VALUES (5, 498884, 12, 5986618, 1, 26.0, 26.0, 26.0, 1, 26, 1795985599926);
INSERT INTO rollups VALUES (5, 498884, 13, 5986618, 1, 2.15800000000000018478e+01, 2.15800000000000018478e+01, 2.15800000000000018478e+01, 2, 2.15800000000000018478e+01, 1795985599889);
INSERT INTO rollups VALUES (5, 498884, 14, 5986618, 1, 52.31, 52.31, 52.31, 2, 52.31, 1795985599889);
INSERT INTO rollups VALUES (5, 498884, 15, 5986618, 1, 101225.1, 101225.1, 101225.1, 2, 101225.1, 1795985599889);
INSERT INTO rollups VALUES (5, 498884, 16, 5986618, 1, 86.0, 86.0, 86.0, 1, 86, 1795985599889);
INSERT INTO rollups VALUES (5, 498884, 17, 5986618, 1, 21.52, 21.52, 21.52, 2, 21.52, 1795985599852);
INSERT INTO rollups VALUES (5, 498884, 18, 5986618, 1, 58.63, 58.63, 58.63, 2, 58.63, 1795985599852);
INSERT INTO rollups VALUES (5, 498884, 19, 5986618, 1, 1.01703400000000008726e+05, 1.01703400000000008726e+05, 1.01703400000000008726e+05, 2, 1.01703400000000008726e+05, 1795985599852);
INSERT INTO rollups VALUES (5, 498884, 20, 5986618, 1, 49.0, 49.0, 49.0, 1, 49, 1795985599852);
INSERT INTO rollups VALUES (5, 498884, 21, 5986618, 1, 20.63, 20.63, 20.63, 2, 20.63, 1795985599815);
INSERT INTO rollups VALUES (5, 498884, 22, 5986618, 1, 53.99, 53.99, 53.99, 2, 53.99, 1795985599815);
INSERT INTO rollups VALUES (5, 498884, 23, 5986618, 1, 101764.5, 101764.5, 101764.5, 2, 101764.5, 1795985599815);
INSERT INTO rollups VALUES (5, 498884, 24, 5986618, 1, 12.0, 12.0, 12.0, 1, 12, 1795985599815);
INSERT INTO rollups VALUES (60, 2969, 1, 498884, 1, 18.8, 18.8, 18.8, 2, 18.8, 1795985600000);
INSERT INTO rollups VALUES (60, 2969, 2, 498884, 1, 45.0, 45.0, 45.0, 2, 45.0, 1795985600000);
INSERT INTO rollups VALUES (60, 2969, 3, 498884, 1, 1.0089040000000000873e+05, 1.0089040000000000873e+05, 1.0089040000000000873e+05, 2, 1.0089040000000000873e+05, 1795985600000);
INSERT INTO rollups VALUES (60, 2969, 4, 498884, 1, 100.0, 100.0, 100.0, 1, 100, 1795985600000);
INSERT INTO rollups VALUES (60, 2969, 5, 498884, 1, -17.73, -17.73, -17.73, 2, -17.73, 1795985599963);
INSERT INTO rollups VALUES (60, 2969, 6, 498884, 1, 53.2, 53.2, 53.2, 2, 53.2, 1795985599963);
INSERT INTO rollups VALUES (60, 2969, 7, 498884, 1, 101051.8, 101051.8, 101051.8, 2, 101051.8, 1795985599963);
INSERT INTO rollups VALUES (60, 2969, 8, 498884, 1, 63.0, 63.0, 63.0, 1, 63, 1795985599963);
INSERT INTO rollups VALUES (60, 2969, 9, 498884, 1, 1.90800000000000018474e+01, 1.90800000000000018474e+01, 1.90800000000000018474e+01, 2, 1.90800000000000018474e+01, 1795985599926);
INSERT INTO rollups VALUES (60, 2969, 10, 498884, 1, 51.81, 51.81, 51.81, 2, 51.81, 1795985599926);
INSERT INTO rollups VALUES (60, 2969, 11, 498884, 1, 101572.3, 101572.3, 101572.3, 2, 101572.3, 1795985599926);
INSERT INTO rollups VALUES (60, 2969, 12, 498884, 1, 26.0, 26.0, 26.0, 1, 26, 1795985599926);
INSERT INTO rollups VALUES (60, 2969, 13, 498884, 1, 2.15800000000000018478e+01, 2.15800000000000018478e+01, 2.15800000000000018478e+01, 2, 2.15800000000000018478e+01, 1795985599889);
INSERT INTO rollups VALUES (60, 2969, 14, 498884, 1, 52.31, 52.31, 52.31, 2, 52.31, 1795985599889);
INSERT INTO rollups VALUES (60, 2969, 15, 498884, 1, 101225.1, 101225.1, 101225.1, 2, 101225.1, 1795985599889);
INSERT INTO rollups VALUES (60, 2969, 16, 498884, 1, 86.0, 86.0, 86.0, 1, 86, 1795985599889);
INSERT INTO rollups VALUES (60, 2969, 17, 498884, 1, 21.52, 21.52, 21.52, 2, 21.52, 1795985599852);
INSERT INTO rollups VALUES (60, 2969, 18, 498884, 1, 58.63, 58.63, 58.63, 2, 58.63, 1795985599852);
INSERT INTO rollups VALUES (60, 2969, 19, 498884, 1, 1.01703400000000008726e+05, 1.01703400000000008726e+05, 1.01703400000000008726e+05, 2, 1.01703400000000008726e+05, 1795985599852);
INSERT INTO rollups VALUES (60, 2969, 20, 498884, 1, 49.0, 49.0, 49.0, 1, 49, 1795985599852);
INSERT INTO rollups VALUES (60, 2969, 21, 498884, 1, 20.63, 20.63, 20.63, 2, 20.63, 1795985599815);
INSERT INTO rollups VALUES (60, 2969, 22, 498884, 1, 53.99, 53.99, 53.99, 2, 53.99, 1795985599815);
INSERT INTO rollups VALUES (60, 2969, 23, 498884, 1, 101764.5, 101764.5, 101764.5, 2, 101764.5, 1795985599815);
INSERT INTO rollups VALUES (60, 2969, 24, 498884, 1, 12.0, 12.0, 12.0, 1, 12, 1795985599815);
INSERT INTO logged VALUES (1, 1, 0, 1, 1795999000000, 2, 20.5);
INSERT INTO sqlite_sequence VALUES ('heartbeats', 9);
INSERT INTO sqlite_sequence VALUES ('logged', 1);
INSERT INTO sqlite_sequence VALUES ('downtimes', 1);
INSERT INTO asked VALUES ('f00000000001', 'F0:00:00:00:00:01', 1, 2);
INSERT INTO filled VALUES ('f00000000001', 1796000000000, 1795950000000, 12, 1);
INSERT INTO spans VALUES (1, 24, 1795985599815, 1795985600000);
INSERT INTO clocks VALUES (1, 'a-boot', 1, 1795990000000, 1, 0, 0);
INSERT INTO parts VALUES (1, '85a97924e0402ff296611faa313d8d4d');
INSERT INTO owned VALUES ('f00000000001');
INSERT INTO server VALUES (1, '7000000000000000000', 1);
INSERT INTO upkeep VALUES (1, NULL, 24, 6144, 0);
INSERT INTO salvages VALUES ('history.sqlite.corrupt.1', 9, 17, 1);
INSERT INTO heartbeats VALUES (1, 'a-boot', 17352779870942, 17352779871743, 1795985600000, 17352779870942, 17352779871743, 1795985600000, NULL, 24, 'running', 'battery', 'battery', 46.0, 46.0, 0, 0, NULL);
INSERT INTO heartbeats VALUES (2, 'a-boot', 17352779870942, 17352779871743, 1795985600000, 19152787130906, 19152787131146, 1795987400000, NULL, 48, 'running', 'battery', 'battery', 46.0, 37.5, 0, 0, NULL);
INSERT INTO heartbeats VALUES (3, 'a-boot', 19152787130906, 19152787131146, 1795987400000, 20952787973887, 20952787974143, 1795989200000, NULL, 72, 'running', 'battery', 'battery', 37.5, 29.0, 0, 0, NULL);
INSERT INTO heartbeats VALUES (4, 'a-boot', 20952787973887, 20952787974143, 1795989200000, 22752788760074, 22752788760243, 1795991000000, NULL, 96, 'running', 'low', 'battery', 29.0, 20.5, 0, 0, NULL);
INSERT INTO heartbeats VALUES (5, 'a-boot', 22752788760074, 22752788760243, 1795991000000, 24552789516568, 24552789516749, 1795992800000, NULL, 120, 'running', 'low', 'battery', 20.5, 12.0, 0, 0, NULL);
INSERT INTO heartbeats VALUES (6, 'a-boot', 24552789516568, 24552789516749, 1795992800000, 26352790264757, 26352790264997, 1795994600000, NULL, 140, 'running', 'normal', 'mains', 12.0, 100.0, 0, 0, NULL);
INSERT INTO heartbeats VALUES (7, 'a-boot', 26352790264757, 26352790264997, 1795994600000, 28152790954960, 28152790955149, 1795996400000, NULL, 160, 'running', 'normal', 'mains', 100.0, 100.0, 0, 0, NULL);
INSERT INTO heartbeats VALUES (8, 'a-boot', 28152790954960, 28152790955149, 1795996400000, 29952791606423, 29952791606615, 1795998200000, NULL, 180, 'running', 'normal', 'mains', 100.0, 100.0, 0, 0, NULL);
INSERT INTO heartbeats VALUES (9, 'a-boot', 29952791606423, 29952791606615, 1795998200000, 31752792407326, 31752792407499, 1796000000000, NULL, 200, 'running', 'normal', 'mains', 100.0, 100.0, 0, 0, NULL);
INSERT INTO activity VALUES (1, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (1, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (1, 'f00000000003', 'Greenhouse', 'F0:00:00:00:00:03', 1, 0, 0, 4, 1, 1426);
INSERT INTO activity VALUES (1, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (1, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (1, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (2, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (2, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (2, 'f00000000003', 'Greenhouse', 'F0:00:00:00:00:03', 1, 0, 0, 4, 1, 1426);
INSERT INTO activity VALUES (2, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (2, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (2, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (3, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (3, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (3, 'f00000000003', 'Greenhouse', 'F0:00:00:00:00:03', 1, 0, 0, 4, 1, 1426);
INSERT INTO activity VALUES (3, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (3, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (3, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (4, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (4, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (4, 'f00000000003', 'Greenhouse', 'F0:00:00:00:00:03', 1, 0, 0, 4, 1, 1426);
INSERT INTO activity VALUES (4, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (4, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (4, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (5, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (5, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (5, 'f00000000003', 'Greenhouse', 'F0:00:00:00:00:03', 1, 0, 0, 4, 1, 1426);
INSERT INTO activity VALUES (5, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (5, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (5, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (6, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (6, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (6, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (6, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (6, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (7, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (7, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (7, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (7, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (7, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (8, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (8, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (8, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (8, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (8, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO activity VALUES (9, 'f00000000001', 'Living Room', 'F0:00:00:00:00:01', 1, 0, 0, 4, 1, 1400);
INSERT INTO activity VALUES (9, 'f00000000002', 'Freezer', 'F0:00:00:00:00:02', 1, 0, 0, 4, 1, 1413);
INSERT INTO activity VALUES (9, 'f00000000004', 'Bedroom', 'F0:00:00:00:00:04', 1, 0, 0, 4, 1, 1439);
INSERT INTO activity VALUES (9, 'f00000000005', 'Cellar', 'F0:00:00:00:00:05', 1, 0, 0, 4, 1, 1452);
INSERT INTO activity VALUES (9, 'f00000000006', 'Attic', 'F0:00:00:00:00:06', 1, 0, 0, 4, 1, 1465);
INSERT INTO downtimes VALUES (1, 1, 'suspend', 'a-boot', 1, 1795990000000, 'a-boot', 2, 1795990060000, 60000);
INSERT INTO attempts VALUES ('f00000000001', 1, 'connect', 'connect', 'BlueZ couldn''t connect the device', 'retry', 1795990940000, 1795990970000, 3, 30000);
INSERT INTO attempts VALUES ('f00000000001', 2, 'read', NULL, NULL, NULL, 1795991000000, 1796000000000, 412, NULL);
INSERT INTO attempts VALUES ('f00000000002', 1, 'connect', 'connect', 'BlueZ couldn''t connect the device', 'retry', 1795990940000, 1795990970000, 3, 30000);
INSERT INTO attempts VALUES ('f00000000002', 2, 'read', NULL, NULL, NULL, 1795991000000, 1796000000000, 412, NULL);
INSERT INTO attempts VALUES ('f00000000003', 1, 'search', 'not_found', 'blekeep didn''t hear the device', 'rediscover', 1795994600000, 1795999940000, 14, 80000);
INSERT INTO attempts VALUES ('f00000000004', 1, 'connect', 'connect', 'BlueZ couldn''t connect the device', 'retry', 1795990940000, 1795990970000, 3, 30000);
INSERT INTO attempts VALUES ('f00000000004', 2, 'read', NULL, NULL, NULL, 1795991000000, 1796000000000, 412, NULL);
INSERT INTO attempts VALUES ('f00000000005', 1, 'connect', 'connect', 'BlueZ couldn''t connect the device', 'retry', 1795990940000, 1795990970000, 3, 30000);
INSERT INTO attempts VALUES ('f00000000005', 2, 'read', NULL, NULL, NULL, 1795991000000, 1796000000000, 412, NULL);
INSERT INTO attempts VALUES ('f00000000006', 1, 'connect', 'connect', 'BlueZ couldn''t connect the device', 'retry', 1795990940000, 1795990970000, 3, 30000);
INSERT INTO attempts VALUES ('f00000000006', 2, 'read', NULL, NULL, NULL, 1795991000000, 1796000000000, 412, NULL);
INSERT INTO statuses VALUES ('f00000000001', 'F0:00:00:00:00:01', 'Living Room', 1795985600000, 'good', 1795991000000, 1796000000000, 412, 0, NULL, NULL, NULL, NULL, 1796000020000, 1800000, 'configured', 'held', -48, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO statuses VALUES ('f00000000002', 'F0:00:00:00:00:02', 'Freezer', 1795985600000, 'good', 1795991000000, 1796000000000, 412, 0, NULL, NULL, NULL, NULL, 1796000073000, 1800000, 'configured', 'held', -59, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO statuses VALUES ('f00000000003', 'F0:00:00:00:00:03', 'Greenhouse', 1795985600000, 'lost', 1795991000000, 1795994600000, 0, 14, 'read', 'not_found', 'blekeep didn''t hear the device', 'rediscover', 1796000026000, 1800000, 'configured', 'released', -70, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO statuses VALUES ('f00000000004', 'F0:00:00:00:00:04', 'Bedroom', 1795985600000, 'good', 1795991000000, 1796000000000, 412, 0, NULL, NULL, NULL, NULL, 1796000079000, 1800000, 'configured', 'held', -81, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO statuses VALUES ('f00000000005', 'F0:00:00:00:00:05', 'Cellar', 1795985600000, 'good', 1795991000000, 1796000000000, 412, 0, NULL, NULL, NULL, NULL, 1796000032000, 1800000, 'configured', 'held', -48, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO statuses VALUES ('f00000000006', 'F0:00:00:00:00:06', 'Attic', 1795985600000, 'good', 1795991000000, 1796000000000, 412, 0, NULL, NULL, NULL, NULL, 1796000085000, 1800000, 'configured', 'held', -59, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO poller VALUES (1, 1, 1795985600000, 1796000000000, NULL, NULL, NULL, 'normal', 'on mains', NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO life VALUES (1, 'a-boot', 1, 1, 1795990000000, 30000);
INSERT INTO adapters VALUES ('hci0', 1795985600000, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO rules VALUES ('warm', 'f00000000001', 1795985600000, 'temperature > 22 °C', 'calm', NULL, NULL, NULL, NULL, 2, '', 0, 1795967600000, 1, '', 0, 1795974800000, 1, 'temperature is 21.9 °C');
INSERT INTO firings VALUES ('f00000000001', 'warm', 1, 1795928000000, 1795935200000, 'temperature is 22.4 °C, above 22 °C for 5m', 'temperature is 21.9 °C');
INSERT INTO firings VALUES ('f00000000001', 'warm', 2, 1795967600000, 1795974800000, 'temperature is 22.4 °C, above 22 °C for 5m', 'temperature is 21.9 °C');
INSERT INTO notices VALUES (1, 1795949600000, 'battery_low', 'f00000000001', NULL, 'its battery has 19 %', NULL);
INSERT INTO notices VALUES (2, 1795964000000, 'sink_fails', NULL, NULL, 'mqtt: no route to the broker', NULL);
INSERT INTO notices VALUES (3, 1795994900000, 'device_lost', 'f00000000003', NULL, 'blekeep didn''t hear the device', 'it exited with 6');
INSERT INTO sinks VALUES ('mqtt', 1795985600000, 17, NULL, 0, 0, NULL, NULL, NULL);
