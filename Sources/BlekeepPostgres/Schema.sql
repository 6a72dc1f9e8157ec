-- What blekeep keeps in a database, as 0.1.0 makes it: see PostgresSchema.swift. All or nothing.
--
-- A gateway may only call functions such as put_1, and only in its own name, which is that of its role. The number in a
-- function's name is that of its form: a later form gets a new function beside it, so that gateways of two versions share a
-- database. No gateway's call changes a table's form, because who reads a table would stop all gateways.
--
-- Errors: BK001: another reading has this number. BK002: another machine has this name. BK003: a role speaks for another
-- gateway. BK004: the author didn't see the version that the new one replaces.

BEGIN;
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['blekeep_gateway', 'blekeep_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN EXECUTE 'CREATE ROLE ' || role; END IF;
    END LOOP;
END $$;
CREATE SCHEMA blekeep;

-- Readings
-----------

CREATE TABLE blekeep.setting (
    version integer NOT NULL,
    keep interval,              -- how long readings stay; NULL: always
    reign integer NOT NULL DEFAULT 0, -- of two servers with one origin, gateways take the one with the higher number
    cleaned integer NOT NULL DEFAULT 0, -- the last series whose old readings were deleted
    watched timestamptz NOT NULL DEFAULT now() -- when long transactions of gateways were ended last
) WITH (fillfactor = 10);
CREATE UNIQUE INDEX ON blekeep.setting ((true));
INSERT INTO blekeep.setting (version) VALUES (1);

-- A history of a gateway, as far as its numbers are its own: a restored one begins another.
CREATE TABLE blekeep.history (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    installation uuid NOT NULL UNIQUE,
    gateway text NOT NULL,
    received int8multirange NOT NULL DEFAULT '{}', -- the numbers that came
    since timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE INDEX ON blekeep.history (gateway);

-- The format of manufacturer data, which has no other source, so that two packets with one field name are two series.
CREATE FUNCTION blekeep.source_format(service text, characteristic text, recipe text, name text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN service || characteristic || recipe = '' THEN name ELSE '' END $$;

-- What a gateway reads. Its names are its own, whatever others call the same device.
CREATE TABLE blekeep.series (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    gateway text NOT NULL,
    device text NOT NULL CHECK (device ~ '^[a-z0-9_]{1,32}$'), -- its ID
    address text NOT NULL,
    service text NOT NULL,
    characteristic text NOT NULL,
    recipe text NOT NULL,
    instance integer NOT NULL,
    field text NOT NULL,        -- '': failed reads
    unit text NOT NULL,
    alias text NOT NULL,        -- as it was last
    name text NOT NULL,
    format text NOT NULL GENERATED ALWAYS AS (blekeep.source_format(service, characteristic, recipe, name)) STORED,
    UNIQUE (gateway, device, address, service, characteristic, recipe, instance, field, unit, format),
    CONSTRAINT words CHECK (
        length(device || address || service || characteristic || recipe || field || unit || alias || name) <= 1000
        AND device || address || service || characteristic || recipe || field || unit || alias || name
            !~ '[\x01-\x1f\x7f-\x9f]')
);

-- New readings come at the end, and so a small index finds a time.
CREATE TABLE blekeep.reading (
    history bigint NOT NULL,
    seq bigint NOT NULL,        -- its number in that history
    time timestamptz NOT NULL,  -- as it was first sent
    received timestamptz NOT NULL DEFAULT now(),
    value double precision,     -- a number, or 1 and 0
    series integer NOT NULL,
    clock_set boolean NOT NULL,
    text text CHECK (length(text) <= 10000 AND text !~ '[\x01-\x08\x0b-\x1f\x7f-\x9f]'),
                                -- what is no number, what a special value means, or why a read failed
    error text CHECK (error ~ '^[a-z0-9_-]{1,100}$'), -- the code of a failed read
    PRIMARY KEY (history, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX ON blekeep.reading (series, time);
CREATE INDEX ON blekeep.reading USING brin (time) WITH (autosummarize = on);

-- The newest reading of each series, with the sums of its hour as far as it is over.
CREATE TABLE blekeep.latest (
    series integer PRIMARY KEY,
    history bigint NOT NULL,
    time timestamptz NOT NULL,
    at timestamptz NOT NULL,    -- `time`, or when it came, if that was earlier: a clock that is ahead hides nothing
    value double precision,
    text text,
    error text,
    hour timestamptz,
    count integer NOT NULL,
    sum double precision NOT NULL,
    min double precision,
    max double precision
) WITH (fillfactor = 50);

-- Each hour of a series. It stays when the readings are deleted.
CREATE TABLE blekeep.hour (
    series integer NOT NULL,
    time timestamptz NOT NULL,
    count integer NOT NULL,
    sum double precision NOT NULL,
    min double precision NOT NULL,
    max double precision NOT NULL,
    PRIMARY KEY (series, time)
);

-- Ends what gateways have left open for longer than their timeouts allow: a role can turn these off for itself.
CREATE FUNCTION blekeep.end_long(patience interval) RETURNS void LANGUAGE sql SET search_path = blekeep, pg_temp AS $$
    SELECT pg_terminate_backend(a.pid)
    FROM pg_stat_activity AS a
    JOIN pg_auth_members AS m ON m.member = a.usesysid AND m.roleid = 'blekeep_gateway'::regrole
    WHERE a.xact_start < now() - patience AND pg_has_role('pg_signal_backend', 'MEMBER');
$$;

-- Deletes some of the readings that are older than `keep`, of one series after the other, and ends long transactions each
-- minute. One gateway at a time does.
CREATE FUNCTION blekeep.clean() RETURNS void LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
DECLARE
    mine setting;
    last integer;
    count integer;
BEGIN
    SELECT * INTO mine FROM setting;
    IF mine.watched < now() - interval '1 minute' THEN
        -- Before the row is locked, because one of these may have it.
        PERFORM end_long('2 minutes');
    ELSIF mine.keep IS NULL THEN
        RETURN;
    END IF;
    SELECT * INTO mine FROM setting FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    last := mine.cleaned;
    IF mine.keep IS NOT NULL THEN
        last := coalesce((SELECT min(id) FROM series WHERE id > last), 0);
        DELETE FROM reading WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM reading WHERE series = last AND time < now() - mine.keep ORDER BY time LIMIT 500));
        GET DIAGNOSTICS count = ROW_COUNT;
        -- There are more of them.
        IF count = 500 THEN last := last - 1; END IF;
    END IF;
    UPDATE setting SET cleaned = last,
        watched = CASE WHEN watched < now() - interval '1 minute' THEN now() ELSE watched END
        WHERE cleaned <> last OR watched < now() - interval '1 minute';
END $$;

CREATE TYPE blekeep.given AS (
    history bigint, seq bigint, time timestamptz, device text, address text, service text,
    characteristic text, recipe text, instance integer, field text, unit text, alias text, name text,
    value double precision, text text, error text, clock_set boolean, is_new boolean, series integer);

-- Refuses a role that speaks for another gateway than itself, or its simulation.
CREATE FUNCTION blekeep.check_name(gateway text) RETURNS void
LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
BEGIN
    IF gateway NOT IN (session_user::text, session_user || '-simulated')
        OR session_user !~ '^[A-Za-z0-9_-]{1,63}$'
    THEN
        RAISE EXCEPTION 'this role is the gateway %', session_user USING ERRCODE = 'BK003';
    END IF;
END $$;

-- Takes readings, each as an object with the place of its history in `installations`. All that are new are stored
-- when it returns: their number. Hours are those of UTC.
CREATE FUNCTION blekeep.put_1(gateway text, installations uuid[], readings json) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    me text := put_1.gateway;
    mine bigint[];
    rows given[];
    wrong record;
    count bigint;
BEGIN
    PERFORM check_name(me);
    IF cardinality(installations) > 1000 OR octet_length(readings::text) > 4194304
        OR json_array_length(readings) > 10000
    THEN
        RAISE EXCEPTION 'the batch is too long' USING ERRCODE = 'program_limit_exceeded';
    END IF;
    -- A connection that nobody has noticed to be dead may still be at it.
    PERFORM FROM history AS h WHERE h.gateway = me AND h.installation = ANY (installations) ORDER BY h.id FOR UPDATE;
    -- The gateway compares again then.
    IF EXISTS (
        SELECT FROM unnest(installations) AS each
        WHERE NOT EXISTS (SELECT FROM history AS h WHERE h.installation = each))
    THEN
        RAISE EXCEPTION 'the database was created again' USING ERRCODE = 'no_data_found';
    END IF;
    SELECT array_agg(h.id ORDER BY place) INTO mine
        FROM unnest(installations) WITH ORDINALITY AS given(installation, place)
        LEFT JOIN history AS h ON h.installation = given.installation AND h.gateway = me;
    SELECT installations[r.h + 1] AS installation, r.seq INTO wrong
        FROM json_to_recordset(readings) AS r(h integer, seq bigint)
        WHERE mine[r.h + 1] IS NULL ORDER BY r.seq LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the history belongs to another role'
            USING ERRCODE = 'BK001', DETAIL = wrong.installation || ' ' || wrong.seq;
    END IF;

    SELECT array_agg(ROW(
            h.id, r.seq, r.time, r.device, r.address, r.service, r.characteristic, r.recipe, r.instance, r.field,
            r.unit, r.alias, r.name, r.value, r.text, r.error, r.clock_set, NOT h.received @> r.seq, s.id)::given
            ORDER BY r.seq) INTO rows
        FROM json_to_recordset(readings) AS r(
            h integer, seq bigint, time timestamptz, device text, address text, service text,
            characteristic text, recipe text, instance integer, field text, unit text, alias text, name text,
            value double precision, text text, error text, clock_set boolean)
        JOIN history AS h ON h.id = mine[r.h + 1]
        LEFT JOIN series AS s
            ON (s.gateway, s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit, s.format)
                = (me, r.device, r.address, r.service, r.characteristic, r.recipe, r.instance, r.field, r.unit,
                    source_format(r.service, r.characteristic, r.recipe, r.name));
    IF EXISTS (SELECT FROM unnest(rows) AS g WHERE g.seq NOT BETWEEN 0 AND 4611686018427387904) THEN
        RAISE EXCEPTION 'a number is out of range' USING ERRCODE = 'numeric_value_out_of_range';
    END IF;

    UPDATE series AS s SET alias = g.alias, name = g.name
        FROM (
            SELECT DISTINCT ON (g.series) g.series, g.alias, g.name FROM unnest(rows) AS g
            WHERE g.series IS NOT NULL ORDER BY g.series, g.seq DESC) AS g
        WHERE s.id = g.series AND (s.alias, s.name) IS DISTINCT FROM (g.alias, g.name);
    IF EXISTS (SELECT FROM unnest(rows) AS g WHERE g.series IS NULL) THEN
        INSERT INTO series (gateway, device, address, service, characteristic, recipe, instance, field, unit, alias, name)
            SELECT DISTINCT ON (device, address, service, characteristic, recipe, instance, field, unit,
                    source_format(service, characteristic, recipe, name))
                me, device, address, service, characteristic, recipe, instance, field, unit, alias, name
            FROM unnest(rows) AS g WHERE g.series IS NULL
            ORDER BY device, address, service, characteristic, recipe, instance, field, unit,
                source_format(service, characteristic, recipe, name), seq DESC;
        IF (SELECT count(*) FROM series AS s WHERE s.gateway = me) > 20000 THEN
            RAISE EXCEPTION 'the gateway has too many fields' USING ERRCODE = 'configuration_limit_exceeded';
        END IF;
        SELECT array_agg(ROW(
                g.history, g.seq, g.time, g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field,
                g.unit, g.alias, g.name, g.value, g.text, g.error, g.clock_set, g.is_new, s.id)::given
                ORDER BY g.seq) INTO rows
            FROM unnest(rows) AS g
            JOIN series AS s
                ON (s.gateway, s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit,
                        s.format)
                    = (me, g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field, g.unit,
                        source_format(g.service, g.characteristic, g.recipe, g.name));
    END IF;

    -- A reading that came before must be the same now. It may be deleted.
    SELECT h.installation, g.seq INTO wrong
        FROM unnest(rows) AS g
        JOIN reading AS r ON r.history = g.history AND r.seq = g.seq
        JOIN history AS h ON h.id = g.history
        WHERE NOT g.is_new
            AND (r.series, r.value, r.text, r.error) IS DISTINCT FROM (g.series, g.value, g.text, g.error)
        ORDER BY g.seq LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'another reading has this number'
            USING ERRCODE = 'BK001', DETAIL = wrong.installation || ' ' || wrong.seq;
    END IF;

    INSERT INTO reading (history, seq, time, value, series, clock_set, text, error)
        SELECT g.history, g.seq, g.time, g.value, g.series, g.clock_set, g.text, g.error
        FROM unnest(rows) AS g WHERE g.is_new;
    GET DIAGNOSTICS count = ROW_COUNT;
    UPDATE history AS h SET received = h.received + n.numbers
        FROM (
            SELECT g.history, range_agg(int8range(g.seq, g.seq, '[]')) AS numbers
            FROM unnest(rows) AS g WHERE g.is_new GROUP BY g.history
        ) AS n
        WHERE h.id = n.history;
    -- Old gaps are lost readings, and close.
    UPDATE history AS h SET received = int8multirange(int8range(lower(h.received), (
            SELECT lower(part) FROM unnest(h.received) WITH ORDINALITY AS parts(part, place)
            ORDER BY place DESC OFFSET 500 LIMIT 1))) + h.received
        WHERE h.id = ANY (mine) AND (SELECT count(*) FROM unnest(h.received)) > 1000;
    PERFORM sum_up(rows);
    PERFORM clean();
    RETURN count;
END $$;

-- Keeps the newest reading of each series, and its hours.
CREATE FUNCTION blekeep.sum_up(rows blekeep.given[]) RETURNS void
LANGUAGE sql SET search_path = blekeep, pg_temp AS $$
    WITH hours AS (
        SELECT series, date_trunc('hour', time, 'UTC') AS hour, count(*) AS count, sum(value) AS sum, min(value) AS min,
            max(value) AS max
        FROM unnest(rows) WHERE is_new AND value BETWEEN -1e300 AND 1e300 GROUP BY 1, 2
    ), newest AS (
        SELECT DISTINCT ON (series) series, history, time, least(time, now()) AS at, value, text, error,
            CASE WHEN time <= now() THEN date_trunc('hour', time, 'UTC') END AS hour
        FROM unnest(rows) WHERE is_new ORDER BY series, least(time, now()) DESC, seq DESC
    ), over AS (
        SELECT l.series, l.hour, l.count, l.sum, l.min, l.max
        FROM newest AS n JOIN latest AS l ON l.series = n.series
        WHERE n.at >= l.at AND l.hour <> n.hour AND l.count > 0
    ), kept AS (
        INSERT INTO latest AS l (series, history, time, at, value, text, error, hour, count, sum, min, max)
            SELECT n.series, n.history, n.time, n.at, n.value, n.text, n.error, n.hour, coalesce(h.count, 0),
                coalesce(h.sum, 0), h.min, h.max
            FROM newest AS n LEFT JOIN hours AS h ON h.series = n.series AND h.hour = n.hour ORDER BY n.series
            ON CONFLICT (series) DO UPDATE
                SET history = excluded.history, time = excluded.time, at = excluded.at, value = excluded.value,
                    text = excluded.text, error = excluded.error, hour = coalesce(excluded.hour, l.hour),
                    count = excluded.count + CASE WHEN excluded.hour <> l.hour THEN 0 ELSE l.count END,
                    sum = excluded.sum + CASE WHEN excluded.hour <> l.hour THEN 0 ELSE l.sum END,
                    min = least(excluded.min, CASE WHEN excluded.hour <> l.hour THEN NULL ELSE l.min END),
                    max = greatest(excluded.max, CASE WHEN excluded.hour <> l.hour THEN NULL ELSE l.max END)
                WHERE excluded.at >= l.at
            RETURNING series, hour
    ), rest AS (
        SELECT * FROM over
        UNION ALL
        SELECT h.* FROM hours AS h
        WHERE NOT EXISTS (
            SELECT FROM kept JOIN newest AS n ON n.series = kept.series
            WHERE kept.series = h.series AND n.hour = h.hour)
    )
    INSERT INTO hour AS h (series, time, count, sum, min, max)
        SELECT series, hour, sum(count), sum(sum), min(min), max(max) FROM rest GROUP BY series, hour ORDER BY 1, 2
        ON CONFLICT (series, time) DO UPDATE
            SET count = h.count + excluded.count, sum = h.sum + excluded.sum, min = least(h.min, excluded.min),
                max = greatest(h.max, excluded.max);
$$;
-- What gateways say, roles and views
-------------------------------------

-- The numbers that came of each of these histories of a gateway, in their order. `put_1` takes readings of these.
CREATE FUNCTION blekeep.received_1(gateway text, installations uuid[]) RETURNS SETOF int8multirange
LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
BEGIN
    PERFORM check_name(received_1.gateway);
    INSERT INTO history (installation, gateway)
        SELECT DISTINCT each, received_1.gateway FROM unnest(installations) AS each
        WHERE NOT EXISTS (SELECT FROM history AS h WHERE h.installation = each)
        ON CONFLICT DO NOTHING;
    IF FOUND AND (SELECT count(*) FROM history AS h WHERE h.gateway = received_1.gateway) > 10000 THEN
        RAISE EXCEPTION 'the gateway has too many histories' USING ERRCODE = 'configuration_limit_exceeded';
    END IF;
    RETURN QUERY SELECT coalesce(h.received, '{}')
        FROM unnest(installations) WITH ORDINALITY AS given(installation, place)
        LEFT JOIN history AS h ON h.installation = given.installation AND h.gateway = received_1.gateway
        ORDER BY place;
END $$;

-- Which server this is: the same for a primary and its standbys, and a number that each promotion of one raises.
CREATE FUNCTION blekeep.server_1() RETURNS TABLE (system text, timeline bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
    -- A name of a file of the log begins with the timeline.
    SELECT system_identifier::text,
        reign::bigint << 32 | ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint
    FROM pg_control_system(), setting;
$$;

-- What gateways say of themselves, and of their devices.
CREATE TABLE blekeep.gateway (
    name text PRIMARY KEY,
    installation text NOT NULL, -- tells two machines of one name apart
    state json NOT NULL,
    devices json NOT NULL,
    seen timestamptz NOT NULL DEFAULT now(),
    has_left boolean NOT NULL DEFAULT false -- whether it said that it ends
) WITH (fillfactor = 50);

CREATE FUNCTION blekeep.report_1(gateway text, installation text, state json, devices json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
BEGIN
    IF octet_length(state::text) + octet_length(devices::text) + octet_length(installation) > 524288 THEN
        RAISE EXCEPTION 'the report is too long' USING ERRCODE = 'program_limit_exceeded';
    END IF;
    PERFORM check_name(report_1.gateway);
    INSERT INTO gateway (name, installation, state, devices)
        VALUES (report_1.gateway, report_1.installation, report_1.state, report_1.devices)
        ON CONFLICT (name) DO UPDATE
            SET installation = excluded.installation, state = excluded.state, devices = excluded.devices, seen = now(),
                has_left = false;
END $$;

-- One that says too much is left out, so that it hides no other.
CREATE FUNCTION blekeep.gateways_1()
RETURNS TABLE (name text, installation text, state json, devices json, silence_ms bigint, is_online boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
    SELECT name, installation, state, devices, (extract(epoch FROM now() - seen) * 1000)::bigint,
        -- Each says something each half minute.
        NOT has_left AND seen > now() - interval '75 s'
    FROM (
        SELECT *, sum(500 + octet_length(state::text) + octet_length(devices::text))
            OVER (ORDER BY octet_length(state::text) + octet_length(devices::text), name) AS sum
        FROM gateway) AS g
    WHERE sum < 12000000 ORDER BY seen DESC LIMIT 1000;
$$;

-- Lets a gateway join with a password that is good for an hour. For administrators.
CREATE FUNCTION blekeep.invite_1(gateway text, verifier text) RETURNS void
LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
DECLARE
    words text := 'CREATE ROLE %I LOGIN PASSWORD %L VALID UNTIL %L IN ROLE blekeep_gateway';
    timeout text[];
BEGIN
    IF gateway !~ '^[A-Za-z0-9_-]{1,63}$' OR gateway ~ '^(pg_|blekeep_)|-simulated$'
        OR gateway IN ('any', 'all')
    THEN
        RAISE EXCEPTION '% is no name of a gateway', gateway USING ERRCODE = 'invalid_name';
    END IF;
    -- One administrator at a time. No gateway can lock this table.
    LOCK TABLE blekeep.assignment IN EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = gateway) THEN
        IF NOT pg_has_role(gateway::name, 'blekeep_gateway', 'MEMBER')
            OR (SELECT rolsuper FROM pg_roles WHERE rolname = gateway)
        THEN
            RAISE EXCEPTION 'there is another role of the name %', gateway USING ERRCODE = 'duplicate_object';
        END IF;
        words := 'ALTER ROLE %I LOGIN PASSWORD %L VALID UNTIL %L';
    END IF;
    EXECUTE format(words, gateway, verifier, now() + interval '1 hour');
    -- One for readings, and some for people and pages that look at the fleet there.
    EXECUTE format('ALTER ROLE %I CONNECTION LIMIT 8', gateway);
    FOREACH timeout SLICE 1 IN ARRAY ARRAY[
        ['statement_timeout', '50s'], ['lock_timeout', '20s'], ['idle_in_transaction_session_timeout', '30s'],
        ['client_connection_check_interval', '10s'], ['tcp_keepalives_idle', '30'], ['tcp_keepalives_interval', '10'],
        ['tcp_keepalives_count', '3']]
    LOOP
        EXECUTE format('ALTER ROLE %I SET %I = %L', gateway, timeout[1], timeout[2]);
    END LOOP;
END $$;

-- Replaces the password of an invitation, which is good no more.
CREATE FUNCTION blekeep.join_1(verifier text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
BEGIN
    PERFORM check_name(session_user);
    IF verifier !~ '^SCRAM-SHA-256[$][0-9]{1,6}:[A-Za-z0-9+/=]{1,200}[$][A-Za-z0-9+/=]{44}:[A-Za-z0-9+/=]{44}$' THEN
        RAISE EXCEPTION 'the verifier is none of SCRAM-SHA-256' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('ALTER ROLE %I PASSWORD %L VALID UNTIL %L', session_user, verifier, 'infinity');
END $$;

CREATE VIEW blekeep.readings AS
    SELECT r.time, s.gateway, s.device, s.alias, s.address, s.name, s.field, s.instance, s.unit, r.value, r.text,
        r.error, r.clock_set, r.received, h.installation, r.seq
    FROM blekeep.reading AS r
    JOIN blekeep.series AS s ON s.id = r.series
    JOIN blekeep.history AS h ON h.id = r.history;
CREATE VIEW blekeep.newest AS
    SELECT DISTINCT ON (s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit,
            s.format)
        l.time, s.gateway, s.device, s.alias, s.address, s.name, s.field, s.instance, s.unit, l.value, l.text, l.error
    FROM blekeep.latest AS l
    JOIN blekeep.series AS s ON s.id = l.series
    ORDER BY s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit, s.format,
        l.at DESC;
CREATE VIEW blekeep.hourly AS
    SELECT h.time, s.gateway, s.device, s.alias, s.field, s.instance, s.unit, h.count, h.min, h.mean, h.max
    FROM blekeep.series AS s
    CROSS JOIN LATERAL (
        SELECT time, sum(count) AS count, min(min) AS min, sum(sum) / sum(count) AS mean, max(max) AS max
        FROM (
            SELECT time, count, sum, min, max FROM blekeep.hour WHERE series = s.id
            UNION ALL
            SELECT hour, count, sum, min, max FROM blekeep.latest WHERE series = s.id AND count > 0) AS parts
        GROUP BY time) AS h;
-- Which gateway owns a device
------------------------------

-- The gateways that share devices. Only their lease ends by itself, by this clock.
CREATE TABLE blekeep.member (
    name text PRIMARY KEY,
    installation text NOT NULL, -- tells two machines of one name apart
    seen timestamptz NOT NULL DEFAULT now(), -- when it last said anything
    steady timestamptz NOT NULL DEFAULT now(), -- since when it has never missed a tick
    has_left boolean NOT NULL DEFAULT false -- whether it said that it ends
) WITH (fillfactor = 50);

CREATE FUNCTION blekeep.is_alive(m blekeep.member) RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT NOT m.has_left AND m.seen > now() - interval '30 s' $$;

CREATE TABLE blekeep.owner (
    device text PRIMARY KEY,    -- the device's ID
    gateway text,               -- NULL: nobody, and each may claim it
    epoch bigint NOT NULL DEFAULT 1,
    since timestamptz NOT NULL DEFAULT now(),
    good_until timestamptz NOT NULL DEFAULT now() + interval '5 minutes', -- then another may claim it
    bonded boolean NOT NULL DEFAULT false, -- stays, because only its gateway has the keys
    heir text                   -- the gateway that may claim it first, for a minute
) WITH (fillfactor = 50);
CREATE INDEX ON blekeep.owner (gateway);

-- A row without a gateway says no more than none after a minute: then its heir doesn't count.
CREATE FUNCTION blekeep.forget_free() RETURNS void LANGUAGE sql SET search_path = blekeep, pg_temp AS $$
    DELETE FROM owner WHERE device = ANY (ARRAY(
        SELECT device FROM owner WHERE gateway IS NULL ORDER BY since DESC OFFSET 1000 FOR UPDATE SKIP LOCKED));
$$;

-- Worth nothing after a crash.
CREATE UNLOGGED TABLE blekeep.heard (
    device text,
    gateway text,
    rssi smallint,              -- dBm
    time timestamptz NOT NULL,
    PRIMARY KEY (gateway, device)
) WITH (fillfactor = 50);
CREATE INDEX ON blekeep.heard (device);

CREATE FUNCTION blekeep.is_free(o blekeep.owner, claimer text, braked boolean) RETURNS boolean
LANGUAGE sql STABLE SET search_path = blekeep, pg_temp AS $$
    SELECT CASE
        WHEN o.device IS NULL THEN true
        WHEN o.gateway = claimer THEN false
        WHEN o.gateway IS NULL THEN
            o.heir IS NULL OR o.heir = claimer OR o.since < now() - interval '1 minute'
        WHEN o.bonded AND o.heir IS DISTINCT FROM claimer THEN false
        -- A gateway without a row isn't one that is gone: it may have just joined. And when the claimer missed a tick
        -- since the owner's last one, this database may have been away, or its clock may have jumped: then the owner
        -- has time to come back.
        ELSE EXISTS (
            SELECT FROM member AS m, member AS c WHERE m.name = o.gateway AND c.name = claimer
                AND CASE WHEN is_alive(m) THEN o.good_until < now()
                    ELSE NOT braked AND (c.steady <= m.seen OR c.steady < now() - interval '2 minutes') END)
    END
$$;

-- Whether so many gateways went silent at once that the fault is likely here, or in the network. Silent is who missed
-- a tick, with 11 s until it counts as gone: when the first one does, the others of them are silent already.
CREATE FUNCTION blekeep.is_braked() RETURNS boolean
LANGUAGE sql STABLE SET search_path = blekeep, pg_temp AS $$
    SELECT count(*) FILTER (WHERE silent) >= 2
        AND count(*) FILTER (WHERE silent) * 4 >= count(*)
        AND bool_or(silent AND seen > now() - interval '90 s')
    FROM (
        SELECT seen, seen < now() - interval '19 s' AS silent
        FROM member WHERE seen > now() - interval '150 s' AND NOT has_left) AS m
$$;

-- Takes what a gateway says each 10 s, as objects, what it claims, and what it gives back, by device with the
-- gateway that may have it first. Returns what is known of these devices.
CREATE FUNCTION blekeep.tick_1(gateway text, installation text, devices json, claims text[], gives json)
RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    me text := tick_1.gateway;
    braked boolean;
    ids text[];
    held text[]; -- those of them that this tick may change
    answer json;
BEGIN
    PERFORM check_name(me);
    IF octet_length(devices::text) + octet_length(gives::text) > 1048576 OR cardinality(claims) > 10000
        OR octet_length(installation) > 100
    THEN
        RAISE EXCEPTION 'too many devices' USING ERRCODE = 'program_limit_exceeded';
    END IF;
    INSERT INTO member AS m (name, installation) VALUES (me, tick_1.installation)
        ON CONFLICT (name) DO UPDATE SET seen = now(), has_left = false,
                steady = CASE WHEN m.has_left OR m.seen < now() - interval '15 s' THEN now() ELSE m.steady END
            WHERE m.installation = excluded.installation;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'another machine has this name' USING ERRCODE = 'BK002';
    END IF;

    SELECT array_agg(d.id) INTO ids FROM json_to_recordset(devices) AS d(id text);
    IF cardinality(ids) > 10000 OR EXISTS (SELECT FROM unnest(ids) AS id WHERE id !~ '^[a-z0-9_]{1,32}$') THEN
        RAISE EXCEPTION 'these are no devices of a gateway' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO heard AS h (device, gateway, rssi, time)
        SELECT d.id, me, d.rssi, now() - greatest(d.heard, 0) * interval '1 s'
        FROM json_to_recordset(devices) AS d(id text, rssi smallint, heard integer)
        WHERE d.heard IS NOT NULL ORDER BY d.id
        ON CONFLICT ON CONSTRAINT heard_pkey DO UPDATE SET rssi = excluded.rssi, time = excluded.time
            WHERE h.rssi IS DISTINCT FROM excluded.rssi OR h.time < excluded.time - interval '20 s';
    IF (SELECT count(*) FROM heard AS h WHERE h.gateway = me) > 10000 THEN
        DELETE FROM heard AS h WHERE h.gateway = me AND NOT EXISTS (SELECT FROM unnest(ids) AS id WHERE id = h.device);
    END IF;

    -- No more than a gateway can read.
    IF cardinality(claims) > 0 THEN
        claims := claims[1 : 5000 - (SELECT count(*) FROM owner AS o WHERE o.gateway = me)];
    END IF;
    -- What another transaction holds, whoever left it open, has time until the next tick.
    SELECT array_agg(o.device) INTO held FROM (
        SELECT o.device FROM owner AS o
        WHERE o.device = ANY (ids) AND (o.gateway = me OR o.device = ANY (claims))
            OR o.device IN (SELECT json_object_keys(gives))
        FOR UPDATE SKIP LOCKED) AS o;
    UPDATE owner AS o SET gateway = NULL, epoch = o.epoch + 1, since = now(), bonded = false, heir = g.value
        FROM json_each_text(gives) AS g WHERE o.device = g.key AND o.device = ANY (held) AND o.gateway = me;
    IF FOUND THEN PERFORM forget_free(); END IF;
    -- Who has just come back has time for a value. Who only restarts again and again has none.
    UPDATE owner AS o
        SET bonded = d.bonded, good_until = d.until
        FROM (
            SELECT d.id, d.bonded, least(greatest(d.patience, 0), 604800) * interval '1 s'
                + greatest(now() - greatest(d.age, 0) * interval '1 s', m.steady, mine.since) AS until
            FROM json_to_recordset(devices) AS d(id text, bonded boolean, age integer, patience integer)
            JOIN owner AS mine ON mine.device = d.id AND mine.gateway = me
            JOIN member AS m ON m.name = me) AS d
        -- What a user moves elsewhere has no more time, whatever its owner says.
        WHERE o.device = d.id AND o.device = ANY (held) AND coalesce(o.heir = me, true)
            AND (o.bonded <> d.bonded OR o.good_until < d.until - interval '1 minute');

    braked := is_braked();
    UPDATE owner AS o
        SET gateway = me, epoch = o.epoch + 1, since = now(), bonded = false, heir = NULL,
            good_until = now() + interval '5 minutes'
        WHERE o.device = ANY (claims) AND o.device = ANY (held) AND is_free(o, me, braked);
    BEGIN
        INSERT INTO owner (device, gateway) SELECT id, me FROM unnest(ids) AS id WHERE id = ANY (claims) ORDER BY id
            ON CONFLICT DO NOTHING;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;

    SELECT json_agg(json_build_object(
            'device', each.id, 'owner', o.gateway, 'epoch', coalesce(o.epoch, 0),
            'isFree', is_free(o, me, braked), 'heir', o.heir, 'hearers', coalesce(hearers.list, '[]'::json))
            ORDER BY each.id)
        INTO answer
        FROM unnest(ids) AS each(id)
        LEFT JOIN owner AS o ON o.device = each.id
        LEFT JOIN LATERAL (
            SELECT json_agg(json_build_object('gateway', h.gateway, 'rssi', h.rssi) ORDER BY h.gateway) AS list
            FROM heard AS h JOIN member AS m ON m.name = h.gateway
            WHERE h.device = each.id AND h.gateway <> me AND h.time > now() - interval '1 minute'
                AND is_alive(m)
        ) AS hearers ON true;
    RETURN json_build_object('devices', coalesce(answer, '[]'::json), 'loads', coalesce((
        SELECT json_object_agg(each.gateway, each.count) FROM (
            SELECT o.gateway, count(*) FROM owner AS o WHERE o.gateway IN (
                SELECT me UNION
                SELECT h.gateway FROM heard AS h WHERE h.device = ANY (ids) AND h.time > now() - interval '1 minute')
            GROUP BY o.gateway) AS each), '{}'::json));
END $$;

-- Says that a gateway ends.
CREATE FUNCTION blekeep.leave_1(gateway text, installation text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
    UPDATE member SET seen = now(), has_left = true
        WHERE name = leave_1.gateway AND name IN (session_user::text, session_user || '-simulated')
            AND installation = leave_1.installation;
    UPDATE gateway SET seen = now(), has_left = true
        WHERE name = leave_1.gateway AND name IN (session_user::text, session_user || '-simulated')
            AND installation = leave_1.installation;
$$;

-- Gives a name to this machine, after the other one has been gone for a lease at least.
CREATE FUNCTION blekeep.adopt_1(gateway text, installation text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
BEGIN
    PERFORM check_name(adopt_1.gateway);
    UPDATE member SET installation = adopt_1.installation
        WHERE name = adopt_1.gateway AND (NOT is_alive(member) OR member.installation = adopt_1.installation);
    IF NOT FOUND AND EXISTS (SELECT FROM member WHERE name = adopt_1.gateway) THEN
        RAISE EXCEPTION 'another machine has this name' USING ERRCODE = 'BK002';
    END IF;
END $$;

-- Lets a device go to a gateway. Its owner has a minute to give it back.
CREATE FUNCTION blekeep.move_1(device text, gateway text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
BEGIN
    IF device !~ '^[a-z0-9_]{1,32}$' THEN
        RAISE EXCEPTION 'this is no device' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM member WHERE name = move_1.gateway AND is_alive(member)) THEN
        RAISE EXCEPTION 'no gateway % is online', move_1.gateway USING ERRCODE = 'no_data_found';
    END IF;
    INSERT INTO owner AS o (device, heir) VALUES (move_1.device, move_1.gateway)
        ON CONFLICT ON CONSTRAINT owner_pkey DO UPDATE
            SET heir = excluded.heir, good_until = least(o.good_until, now() + interval '1 minute'),
                since = CASE WHEN o.gateway IS NULL THEN now() ELSE o.since END;
    PERFORM forget_free();
END $$;
-- One configuration for all gateways
-------------------------------------

-- The configurations that administrators gave to the fleet. None changes any more.
CREATE TABLE blekeep.configuration (
    version integer PRIMARY KEY,
    digest text NOT NULL,       -- of `yaml`
    yaml text NOT NULL,
    author name NOT NULL DEFAULT session_user,
    created timestamptz NOT NULL DEFAULT now()
);
CREATE FUNCTION blekeep.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a version of the configuration never changes';
END $$;
CREATE TRIGGER unchanged BEFORE UPDATE ON blekeep.configuration EXECUTE FUNCTION blekeep.refuse_change();

-- Which version which gateways are to have. For each gateway, the last row that is for it counts.
CREATE TABLE blekeep.assignment (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version integer NOT NULL REFERENCES blekeep.configuration,
    gateways text[],            -- NULL: all
    before integer REFERENCES blekeep.assignment, -- what all had before it, for a rollback; NULL: nothing
    author name NOT NULL DEFAULT session_user,
    time timestamptz NOT NULL DEFAULT now()
);
CREATE FUNCTION blekeep.meant_for(gateway text) RETURNS integer
LANGUAGE sql STABLE SET search_path = blekeep, pg_temp AS $$
    SELECT version FROM assignment WHERE gateways IS NULL OR meant_for.gateway = ANY (gateways)
    ORDER BY id DESC LIMIT 1;
$$;

-- What each gateway runs.
CREATE TABLE blekeep.running (
    gateway text PRIMARY KEY,
    version integer,            -- NULL: none
    refused integer,            -- the version that it refuses
    problem text,               -- why
    seen timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Takes what a gateway runs, and what it refused last. Versions come with their numbers and digests. Returns the
-- version that is meant for it, if that is another one.
CREATE FUNCTION blekeep.configure_1(
    gateway text, version integer, digest text, refused integer, refused_digest text, problem text)
RETURNS TABLE (wanted integer, wanted_digest text, yaml text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM check_name(configure_1.gateway);
    INSERT INTO running (gateway, version, refused, problem)
        VALUES (
            configure_1.gateway, configure_1.version, configure_1.refused, left(configure_1.problem, 2000))
        ON CONFLICT (gateway) DO UPDATE
            SET version = excluded.version, refused = excluded.refused, problem = excluded.problem, seen = now();
    RETURN QUERY SELECT c.version, c.digest, c.yaml FROM configuration AS c
        WHERE c.version = meant_for(configure_1.gateway)
            AND (c.version, c.digest) IS DISTINCT FROM (configure_1.version, configure_1.digest)
            AND (c.version, c.digest) IS DISTINCT FROM (configure_1.refused, configure_1.refused_digest);
END $$;

-- Returns which version all are to have, with what each gateway has; NULL before there is any.
CREATE FUNCTION blekeep.versions_1() RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
    SELECT json_build_object(
        'all', (SELECT version FROM assignment WHERE gateways IS NULL ORDER BY id DESC LIMIT 1),
        'gateways', (
            SELECT coalesce(json_object_agg(gateway, json_build_object(
                'version', g.version, 'wanted', meant_for(gateway), 'refused', g.refused, 'problem', g.problem)),
                '{}')
            FROM (SELECT * FROM running ORDER BY gateway LIMIT 1000) AS g))
    WHERE EXISTS (SELECT FROM assignment);
$$;

-- Returns the last assignment, if it is the one that an administrator saw. It stays the last one until their transaction ends.
CREATE FUNCTION blekeep.last_assignment(seen integer) RETURNS blekeep.assignment
LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
DECLARE
    last assignment;
BEGIN
    LOCK TABLE assignment IN EXCLUSIVE MODE;
    SELECT * INTO last FROM assignment ORDER BY id DESC LIMIT 1;
    IF last.id IS DISTINCT FROM seen THEN
        RAISE EXCEPTION '% gave version % meanwhile', last.author, last.version USING ERRCODE = 'BK004';
    END IF;
    RETURN last;
END $$;

-- For administrators: gives a configuration to some gateways, or to all, in place of the assignment that the author
-- saw. The same text again has the same version. Returns it.
CREATE FUNCTION blekeep.apply_1(yaml text, gateways text[], seen integer) RETURNS integer
LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
DECLARE
    sum text := encode(sha256(convert_to(yaml, 'UTF8')), 'hex');
    number integer;
BEGIN
    IF octet_length(yaml) > 1000000 THEN
        RAISE EXCEPTION 'the configuration is too long' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM last_assignment(seen);
    SELECT c.version INTO number FROM configuration AS c WHERE c.digest = sum;
    IF number IS NULL THEN
        SELECT coalesce(max(c.version), 0) + 1 INTO number FROM configuration AS c;
        INSERT INTO configuration (version, digest, yaml) VALUES (number, sum, apply_1.yaml);
    END IF;
    PERFORM assign(number, apply_1.gateways);
    RETURN number;
END $$;

CREATE FUNCTION blekeep.assign(version integer, gateways text[]) RETURNS void
LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
DECLARE
    last assignment;
    whole assignment;
BEGIN
    SELECT * INTO last FROM assignment ORDER BY id DESC LIMIT 1;
    SELECT * INTO whole FROM assignment AS a WHERE a.gateways IS NULL ORDER BY id DESC LIMIT 1;
    IF (last.version, last.gateways) IS DISTINCT FROM (assign.version, assign.gateways) THEN
        INSERT INTO assignment (version, gateways, before) VALUES (
            assign.version, assign.gateways, CASE WHEN whole.version = assign.version THEN whole.before ELSE whole.id END);
    END IF;
END $$;

-- For administrators: gives a version to all gateways, in place of the assignment that the author saw; NULL for the one
-- that all had before some had another, or before they all had the last one. Returns it; NULL when there is none.
CREATE FUNCTION blekeep.rollback_1(version integer, seen integer) RETURNS integer
LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
DECLARE
    last assignment := last_assignment(seen);
    whole assignment;
BEGIN
    IF rollback_1.version IS NOT NULL THEN
        IF NOT EXISTS (SELECT FROM configuration AS c WHERE c.version = rollback_1.version) THEN RETURN NULL; END IF;
        PERFORM assign(rollback_1.version, NULL);
        RETURN rollback_1.version;
    END IF;
    SELECT * INTO whole FROM assignment AS a WHERE a.gateways IS NULL ORDER BY id DESC LIMIT 1;
    IF last.gateways IS NULL THEN SELECT * INTO whole FROM assignment WHERE id = whole.before; END IF;
    INSERT INTO assignment (version, before) SELECT whole.version, whole.before WHERE whole.id IS NOT NULL;
    RETURN whole.version;
END $$;

-- Takes a gateway out of the fleet. Its readings stay. For administrators. Returns whether there was any.
CREATE FUNCTION blekeep.remove_1(gateway text) RETURNS boolean
LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
DECLARE
    was_there boolean;
    names text[] := ARRAY[gateway, gateway || '-simulated'];
    has_role boolean;
BEGIN
    -- One administrator at a time. No gateway can lock this table.
    LOCK TABLE assignment IN EXCLUSIVE MODE;
    has_role := EXISTS (
        SELECT FROM pg_auth_members AS m JOIN pg_roles AS r ON r.oid = m.member
        WHERE r.rolname = gateway AND m.roleid = 'blekeep_gateway'::regrole AND NOT r.rolsuper);
    IF has_role THEN
        -- An administrator that is no superuser may do the rest only as a member.
        EXECUTE format('GRANT %I TO CURRENT_USER', gateway);
        PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = gateway;
        -- What it made, such as a large object.
        EXECUTE format('DROP OWNED BY %I', gateway);
    END IF;
    DELETE FROM blekeep.gateway AS g WHERE g.name = ANY (names);
    was_there := FOUND;
    DELETE FROM running AS g WHERE g.gateway = ANY (names);
    was_there := was_there OR FOUND;
    DELETE FROM heard AS h WHERE h.gateway = ANY (names);
    DELETE FROM owner AS o WHERE o.gateway = ANY (names);
    UPDATE owner AS o SET heir = NULL WHERE o.heir = ANY (names);
    DELETE FROM member AS m WHERE m.name = ANY (names);
    was_there := was_there OR FOUND OR has_role;
    IF has_role THEN EXECUTE format('DROP ROLE %I', gateway); END IF;
    RETURN was_there;
END $$;
-- Timeouts of all but gateways, which have shorter ones: an open transaction keeps the server from cleaning up behind the
-- gateways. No role fills the disk beside blekeep's tables. For administrators, also after a restore: no backup has all of it.
CREATE FUNCTION blekeep.set_limits() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    timeout text[];
BEGIN
    FOREACH timeout SLICE 1 IN ARRAY ARRAY[
        ['statement_timeout', '10min'], ['lock_timeout', '1min'], ['idle_in_transaction_session_timeout', '10min']]
    LOOP
        EXECUTE format('ALTER DATABASE %I SET %I = %L', current_database(), timeout[1], timeout[2]);
    END LOOP;
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
END $$;

-- Rights
---------

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA blekeep FROM PUBLIC;
GRANT USAGE ON SCHEMA blekeep TO blekeep_gateway, blekeep_reader;
GRANT EXECUTE ON FUNCTION blekeep.put_1, blekeep.received_1, blekeep.server_1, blekeep.report_1, blekeep.join_1, blekeep.tick_1,
    blekeep.leave_1, blekeep.adopt_1, blekeep.move_1, blekeep.configure_1 TO blekeep_gateway;
GRANT EXECUTE ON FUNCTION blekeep.gateways_1, blekeep.versions_1 TO blekeep_gateway, blekeep_reader;
GRANT SELECT ON blekeep.readings, blekeep.newest, blekeep.hourly TO blekeep_reader;
COMMIT;
