/// What blekeep keeps in a database: the one place that declares it.
///
/// A gateway may only call functions such as `put_1`. The number in a name is that of its form: a later form gets a new
/// function beside it, so that gateways of two versions share a database.
package enum PostgresSchema {
    /// The version of the tables, in `blekeep.setting`.
    package static let version = 1

    /// The error of a reading whose number another reading has.
    static let conflict = "BK001"

    /// The role of all gateways, and that of people and dashboards.
    package static let gateways = "blekeep_gateway"
    package static let readers = "blekeep_reader"

    /// Makes the roles and the tables, all or none.
    package static let statements = """
        BEGIN;
        DO $$
        DECLARE
            role text;
        BEGIN
            FOREACH role IN ARRAY ARRAY['\(gateways)', '\(readers)'] LOOP
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN EXECUTE 'CREATE ROLE ' || role; END IF;
            END LOOP;
        END $$;
        CREATE SCHEMA blekeep;

        CREATE TABLE blekeep.setting (
            version integer NOT NULL,
            keep interval,              -- how long readings stay; NULL: always
            cleaned date NOT NULL DEFAULT current_date
        );
        CREATE UNIQUE INDEX ON blekeep.setting ((true));
        INSERT INTO blekeep.setting (version) VALUES (\(version));

        -- A history of a gateway, as far as its numbers are its own: a restored one begins another.
        CREATE TABLE blekeep.history (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            installation uuid NOT NULL UNIQUE,
            gateway text NOT NULL,
            role name NOT NULL,         -- who may write it
            received int8multirange NOT NULL DEFAULT '{}', -- the numbers that came
            since timestamptz NOT NULL DEFAULT now(),
            last timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50);

        CREATE TABLE blekeep.series (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            device text NOT NULL,       -- the device's ID
            address text NOT NULL,
            service text NOT NULL,
            characteristic text NOT NULL,
            recipe text NOT NULL,
            instance integer NOT NULL,
            field text NOT NULL,        -- '': failed reads
            unit text NOT NULL,
            alias text NOT NULL,        -- as it was last
            name text NOT NULL,
            UNIQUE (device, address, service, characteristic, recipe, instance, field, unit)
        );

        CREATE TABLE blekeep.reading (
            history integer NOT NULL,
            seq bigint NOT NULL,        -- its number in that history
            time timestamptz NOT NULL,  -- as it was first sent
            received timestamptz NOT NULL DEFAULT now(),
            value double precision,     -- a number, or 1 and 0
            series integer NOT NULL,
            clock_set boolean NOT NULL,
            text text,                  -- what is no number, what a special value means, or why a read failed
            error text,                 -- the code of a failed read
            PRIMARY KEY (history, seq, time)
        ) PARTITION BY RANGE (time);
        CREATE INDEX ON blekeep.reading (series, time);
        -- For clocks that are far off.
        CREATE TABLE blekeep.reading_of_another_time PARTITION OF blekeep.reading DEFAULT;

        CREATE FUNCTION blekeep.make_day(day date) RETURNS void LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            part text := 'reading_' || to_char(day, 'YYYYMMDD');
        BEGIN
            IF to_regclass('blekeep.' || part) IS NOT NULL
                OR day NOT BETWEEN current_date - 3650 AND current_date + 1
            THEN
                RETURN;
            END IF;
            PERFORM pg_advisory_xact_lock(hashtext('blekeep.make_day'));
            IF to_regclass('blekeep.' || part) IS NULL THEN
                EXECUTE format(
                    'CREATE TABLE blekeep.%I PARTITION OF blekeep.reading FOR VALUES FROM (%L) TO (%L)',
                    part, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
            END IF;
        EXCEPTION
            -- The partition for other times has a reading of that day.
            WHEN check_violation THEN NULL;
        END $$;

        -- Drops the days that are older than `keep`. While a reader is at work, that waits for the next readings.
        CREATE FUNCTION blekeep.drop_old() RETURNS void LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            part text;
            oldest date;
        BEGIN
            UPDATE setting SET cleaned = current_date WHERE cleaned < current_date
                RETURNING current_date - keep INTO oldest;
            IF oldest IS NULL THEN RETURN; END IF;
            SET LOCAL lock_timeout = '100ms';
            FOR part IN
                SELECT relname FROM pg_class
                WHERE relnamespace = 'blekeep'::regnamespace AND relkind = 'r' AND relname ~ '^reading_[0-9]{8}$'
                    AND relname < 'reading_' || to_char(oldest, 'YYYYMMDD')
            LOOP
                EXECUTE format('DROP TABLE blekeep.%I', part);
            END LOOP;
        EXCEPTION
            WHEN lock_not_available THEN NULL;
        END $$;

        CREATE TYPE blekeep.given AS (
            history integer, seq bigint, time timestamptz, device text, address text, service text,
            characteristic text, recipe text, instance integer, field text, unit text, alias text, name text,
            value double precision, text text, error text, clock_set boolean, is_new boolean);

        -- Takes readings, each as an object with the place of its history in `installations`. All that are new are stored
        -- when it returns: their number.
        CREATE FUNCTION blekeep.put_1(gateway text, installations uuid[], readings json) RETURNS bigint
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        DECLARE
            mine integer[];
            rows given[];
            wrong record;
            day date;
            count bigint := 0;
        BEGIN
            INSERT INTO history AS h (installation, gateway, role)
                SELECT each, put_1.gateway, session_user FROM unnest(installations) AS each
                ON CONFLICT (installation) DO UPDATE SET gateway = excluded.gateway, last = now()
                    WHERE h.role = session_user;
            SELECT array_agg(h.id ORDER BY place) INTO mine
                FROM unnest(installations) WITH ORDINALITY AS given(installation, place)
                JOIN history AS h ON h.installation = given.installation AND h.role = session_user;
            IF coalesce(cardinality(mine), 0) <> cardinality(installations) THEN
                RAISE EXCEPTION 'the history belongs to another role' USING ERRCODE = 'insufficient_privilege';
            END IF;

            SELECT array_agg(ROW(
                    h.id, r.seq, r.time, r.device, r.address, r.service, r.characteristic, r.recipe, r.instance, r.field,
                    r.unit, r.alias, r.name, r.value, r.text, r.error, r.clock_set, NOT h.received @> r.seq)::given
                    ORDER BY r.seq) INTO rows
                FROM json_to_recordset(readings) AS r(
                    h integer, seq bigint, time timestamptz, device text, address text, service text,
                    characteristic text, recipe text, instance integer, field text, unit text, alias text, name text,
                    value double precision, text text, error text, clock_set boolean)
                JOIN history AS h ON h.id = mine[r.h + 1];

            -- First, while no other gateway can wait for this one.
            FOR day IN SELECT DISTINCT (g.time AT TIME ZONE 'UTC')::date FROM unnest(rows) AS g WHERE g.is_new LOOP
                PERFORM make_day(day);
            END LOOP;

            INSERT INTO series (device, address, service, characteristic, recipe, instance, field, unit, alias, name)
                SELECT DISTINCT ON (device, address, service, characteristic, recipe, instance, field, unit)
                    device, address, service, characteristic, recipe, instance, field, unit, alias, name
                FROM unnest(rows) AS g
                WHERE NOT EXISTS (
                    SELECT FROM series AS s
                    WHERE (s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit)
                        = (g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field, g.unit)
                        AND s.alias = g.alias AND s.name = g.name)
                ORDER BY device, address, service, characteristic, recipe, instance, field, unit, seq DESC
                ON CONFLICT (device, address, service, characteristic, recipe, instance, field, unit)
                    DO UPDATE SET alias = excluded.alias, name = excluded.name;

            -- A reading that came before must be the same now. Its day may be gone.
            IF EXISTS (SELECT FROM unnest(rows) AS g WHERE NOT g.is_new) THEN
                SELECT h.installation, g.seq INTO wrong
                    FROM unnest(rows) AS g
                    JOIN reading AS r ON r.history = g.history AND r.seq = g.seq
                    JOIN series AS s ON s.id = r.series
                    JOIN history AS h ON h.id = g.history
                    WHERE NOT g.is_new AND (
                        s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit, r.value,
                        r.text, r.error
                    ) IS DISTINCT FROM (
                        g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field, g.unit, g.value,
                        g.text, g.error)
                    ORDER BY g.seq LIMIT 1;
                IF FOUND THEN
                    RAISE EXCEPTION 'another reading has this number'
                        USING ERRCODE = '\(conflict)', DETAIL = wrong.installation || ' ' || wrong.seq;
                END IF;
            END IF;

            INSERT INTO reading (history, seq, time, value, series, clock_set, text, error)
                SELECT g.history, g.seq, g.time, g.value, s.id, g.clock_set, g.text, g.error
                FROM unnest(rows) AS g
                JOIN series AS s
                    ON (s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit)
                        = (g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field, g.unit)
                WHERE g.is_new;
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
            PERFORM drop_old() FROM setting WHERE cleaned < current_date;
            RETURN count;
        END $$;

        -- The numbers that came of each of these histories, in their order.
        CREATE FUNCTION blekeep.received_1(installations uuid[]) RETURNS SETOF int8multirange
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
            SELECT coalesce(h.received, '{}') FROM unnest(installations) WITH ORDINALITY AS given(installation, place)
            LEFT JOIN history AS h ON h.installation = given.installation AND h.role = session_user
            ORDER BY place;
        $$;

        -- What gateways say of themselves, and of their devices.
        CREATE TABLE blekeep.gateway (
            name text PRIMARY KEY,
            role name NOT NULL,         -- who may say it
            installation text NOT NULL, -- tells two machines of one name apart
            state json NOT NULL,
            devices json NOT NULL,
            seen timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50);

        CREATE FUNCTION blekeep.report_1(gateway text, installation text, state json, devices json) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        BEGIN
            IF octet_length(state::text) + octet_length(devices::text) > 1048576 THEN
                RAISE EXCEPTION 'the report is too long' USING ERRCODE = 'invalid_parameter_value';
            END IF;
            INSERT INTO gateway AS g (name, role, installation, state, devices)
                VALUES (report_1.gateway, session_user, report_1.installation, report_1.state, report_1.devices)
                ON CONFLICT (name) DO UPDATE
                    SET installation = excluded.installation, state = excluded.state, devices = excluded.devices, seen = now()
                    WHERE g.role = session_user;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the gateway''s name belongs to another role' USING ERRCODE = 'insufficient_privilege';
            END IF;
        END $$;

        CREATE FUNCTION blekeep.gateways_1()
        RETURNS TABLE (name text, installation text, state json, devices json, silence_ms bigint)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
            SELECT name, installation, state, devices, (extract(epoch FROM now() - seen) * 1000)::bigint FROM gateway
            ORDER BY name LIMIT 1000;
        $$;

        -- Lets a gateway join with a password that is good for an hour. For administrators.
        CREATE FUNCTION blekeep.invite_1(gateway text, verifier text) RETURNS void
        LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            words text := 'CREATE ROLE %I LOGIN PASSWORD %L VALID UNTIL %L IN ROLE \(gateways)';
        BEGIN
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = gateway) THEN
                IF NOT pg_has_role(gateway::name, '\(gateways)', 'MEMBER')
                    OR (SELECT rolsuper FROM pg_roles WHERE rolname = gateway)
                THEN
                    RAISE EXCEPTION 'there is another role of the name %', gateway USING ERRCODE = 'duplicate_object';
                END IF;
                words := 'ALTER ROLE %I LOGIN PASSWORD %L VALID UNTIL %L';
            END IF;
            EXECUTE format(words, gateway, verifier, now() + interval '1 hour');
        END $$;

        -- Replaces the password of an invitation, which is good no more.
        CREATE FUNCTION blekeep.join_1(verifier text) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        BEGIN
            IF verifier !~ '^SCRAM-SHA-256[$]' THEN
                RAISE EXCEPTION 'the verifier is none of SCRAM-SHA-256' USING ERRCODE = 'invalid_parameter_value';
            END IF;
            EXECUTE format('ALTER ROLE %I PASSWORD %L VALID UNTIL %L', session_user, verifier, 'infinity');
        END $$;

        CREATE VIEW blekeep.readings AS
            SELECT r.time, h.gateway, s.device, s.alias, s.address, s.name, s.field, s.instance, s.unit, r.value, r.text,
                r.error, r.clock_set, r.received, h.installation, r.seq
            FROM blekeep.reading AS r
            JOIN blekeep.series AS s ON s.id = r.series
            JOIN blekeep.history AS h ON h.id = r.history;
        CREATE VIEW blekeep.newest AS
            SELECT r.time, h.gateway, s.device, s.alias, s.address, s.name, s.field, s.instance, s.unit, r.value, r.text,
                r.error
            FROM blekeep.series AS s
            CROSS JOIN LATERAL (
                SELECT * FROM blekeep.reading AS r WHERE r.series = s.id ORDER BY r.time DESC LIMIT 1) AS r
            JOIN blekeep.history AS h ON h.id = r.history;
        CREATE VIEW blekeep.hourly AS
            SELECT date_trunc('hour', r.time) AS time, s.device, s.alias, s.field, s.instance, s.unit,
                count(*) AS count, min(r.value) AS min, avg(r.value) AS mean, max(r.value) AS max
            FROM blekeep.reading AS r
            JOIN blekeep.series AS s ON s.id = r.series
            WHERE r.value IS NOT NULL
            GROUP BY 1, s.id;

        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA blekeep FROM PUBLIC;
        GRANT USAGE ON SCHEMA blekeep TO \(gateways), \(readers);
        GRANT EXECUTE ON FUNCTION blekeep.put_1, blekeep.received_1, blekeep.report_1, blekeep.join_1 TO \(gateways);
        GRANT EXECUTE ON FUNCTION blekeep.gateways_1 TO \(gateways), \(readers);
        GRANT SELECT ON blekeep.readings, blekeep.newest, blekeep.hourly TO \(readers);
        COMMIT;
        """
}
