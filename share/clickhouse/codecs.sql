-- SPDX-License-Identifier: Apache-2.0
-- For ClickHouse from 20.3 on: rows take about half of the disk that they take with the server's default.
--   clickhouse-client --database shop --multiquery < codecs.sql
-- What is there already changes with its next merge. Replicas tell each other: once a shard is enough.
ALTER TABLE profile_10s
 MODIFY COLUMN service UInt64 CODEC(ZSTD(1)), MODIFY COLUMN hour UInt32 CODEC(ZSTD(1)),
 MODIFY COLUMN stack FixedString(16) CODEC(ZSTD(1)), MODIFY COLUMN subject UInt64 CODEC(ZSTD(1)),
 MODIFY COLUMN series UInt64 CODEC(ZSTD(1)), MODIFY COLUMN t DateTime CODEC(Delta, ZSTD(1)),
 MODIFY COLUMN count UInt64 CODEC(T64, ZSTD(1)), MODIFY COLUMN weight UInt64 CODEC(T64('bit'), ZSTD(1));
ALTER TABLE methods_1m
 MODIFY COLUMN method UInt64 CODEC(ZSTD(1)), MODIFY COLUMN series UInt64 CODEC(ZSTD(1)),
 MODIFY COLUMN t DateTime CODEC(Delta, ZSTD(1)), MODIFY COLUMN calls UInt64 CODEC(T64, ZSTD(1)),
 MODIFY COLUMN self_ns UInt64 CODEC(T64, ZSTD(1)), MODIFY COLUMN total_ns UInt64 CODEC(T64, ZSTD(1)),
 MODIFY COLUMN max_ns UInt64 CODEC(T64, ZSTD(1)), MODIFY COLUMN bucket Array(UInt16) CODEC(ZSTD(1)),
 MODIFY COLUMN tally Array(UInt32) CODEC(T64, ZSTD(1));
