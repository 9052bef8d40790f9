-- SPDX-License-Identifier: Apache-2.0
-- The tables of a store, as every server from 18.16 on takes them; docs/fleet.md tells what they hold.
-- {db} is the database, {MT}, {RMT} and {RMT:column} the engines. One statement ends with ; at the end of a line.
CREATE TABLE {db}.schema_version (version UInt32, applied DateTime, program String)
 ENGINE = {MT} ORDER BY version;
CREATE TABLE {db}.series (series UInt64, service UInt64, grp UInt64, service_name String, version String,
 host String, instance String, runtime String, agent String, label_names Array(String), label_values Array(String),
 skew_ms Int32, first DateTime, last DateTime)
 ENGINE = {RMT:last} PARTITION BY toYYYYMM(first) ORDER BY (service, series);
CREATE TABLE {db}.frames (id UInt64, kind UInt8, name String, file String, line UInt32, seen Date)
 ENGINE = {RMT:seen} PARTITION BY toYYYYMM(seen) ORDER BY id;
CREATE TABLE {db}.stacks (id FixedString(16), frames Array(UInt64), seen Date)
 ENGINE = {RMT:seen} PARTITION BY toYYYYMM(seen) ORDER BY id SETTINGS index_granularity = 1024;
CREATE TABLE {db}.profile_10s (service UInt64, carrier UInt8, hour UInt32, stack FixedString(16), subject UInt64,
 series UInt64, t DateTime, gen UInt8, count UInt64, weight UInt64)
 ENGINE = {RMT} PARTITION BY toYYYYMMDD(t) ORDER BY (service, carrier, hour, stack, subject, series, t, gen);
CREATE TABLE {db}.profile_1m (service UInt64, carrier UInt8, hour UInt32, stack FixedString(16), subject UInt64,
 grp UInt64, t DateTime, count UInt64, weight UInt64)
 ENGINE = {MT} PARTITION BY hour ORDER BY (service, carrier, stack, subject, grp, t);
CREATE TABLE {db}.profile_1h (service UInt64, carrier UInt8, stack FixedString(16), subject UInt64, grp UInt64,
 t DateTime, count UInt64, weight UInt64)
 ENGINE = {MT} PARTITION BY toYYYYMMDD(t) ORDER BY (service, carrier, stack, subject, grp, t);
CREATE TABLE {db}.methods_1m (service UInt64, hour UInt32, method UInt64, series UInt64, t DateTime, gen UInt8,
 calls UInt64, self_ns UInt64, total_ns UInt64, max_ns UInt64, bucket Array(UInt16), tally Array(UInt32))
 ENGINE = {RMT} PARTITION BY toYYYYMMDD(t) ORDER BY (service, hour, method, series, t, gen);
CREATE TABLE {db}.methods_1h (service UInt64, method UInt64, grp UInt64, t DateTime, calls UInt64, self_ns UInt64,
 total_ns UInt64, max_ns UInt64, bucket Array(UInt16), tally Array(UInt64))
 ENGINE = {MT} PARTITION BY toYYYYMMDD(t) ORDER BY (service, method, grp, t);
CREATE TABLE {db}.health_10s (service UInt64, hour UInt32, series UInt64, t DateTime, gen UInt8, cpu_ns UInt64,
 calls UInt64, alloc_bytes UInt64, alloc_objects UInt64, gcs UInt32, pause_ns UInt64, pause_max_ns UInt64,
 waits UInt32, wait_ns UInt64, throws UInt32, heap_used UInt64, threads UInt32, events UInt64, lost UInt64,
 pause_bucket Array(UInt16), pause_tally Array(UInt32))
 ENGINE = {RMT} PARTITION BY toYYYYMMDD(t) ORDER BY (service, hour, series, t, gen);
CREATE TABLE {db}.moments (service UInt64, kind UInt8, hour UInt32, series UInt64, t DateTime, at Int64, took Int64,
 subject UInt64, stack FixedString(16), stream UInt64, block UInt64, thread UInt64)
 ENGINE = {RMT} PARTITION BY toYYYYMMDD(t) ORDER BY (service, kind, hour, series, at, thread, subject);
CREATE TABLE {db}.traces (series UInt64, stream UInt64, first_block UInt64, last_block UInt64, t DateTime,
 first_ns Int64, last_ns Int64, events UInt64, bytes UInt64, lost UInt64, why String, place String,
 digest FixedString(16), version UInt64)
 ENGINE = {RMT:version} PARTITION BY toYYYYMMDD(t) ORDER BY (series, stream, first_block);
CREATE TABLE {db}.streams (stream UInt64, version UInt64, series UInt64, edge String, next_block UInt64,
 offset UInt64, window DateTime, gen UInt8, ended UInt8, touched DateTime, state String)
 ENGINE = {RMT:version} PARTITION BY stream % 16 ORDER BY stream;
CREATE TABLE {db}.batches (edge String, number UInt64, target String, day UInt32, hour UInt32, rows UInt32,
 count UInt64, weight UInt64, attempts UInt8, written DateTime)
 ENGINE = {RMT:attempts} PARTITION BY toYYYYMMDD(written) ORDER BY (edge, number, target, hour);
CREATE TABLE {db}.commands (at DateTime, who String, what String, series UInt64, outcome UInt8, text String)
 ENGINE = {MT} PARTITION BY toYYYYMM(at) ORDER BY at;
