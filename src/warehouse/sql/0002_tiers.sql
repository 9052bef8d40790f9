-- SPDX-License-Identifier: Apache-2.0
-- Version 101: what was added up into coarser tables, and what was dropped; docs/fleet.md#tiers tells how.
-- The tables of tiers themselves are the base's. Rows of an hour are prepared in a table of the run's own
-- (NAME_stage_NUMBER, like the tier's): in one that all shared, two runs at once would count twice.
CREATE TABLE {db}.rolls (target String, hour UInt32, print UInt64, rows UInt64, count UInt64, weight UInt64,
 rolled DateTime)
 ENGINE = {RMT:rolled} PARTITION BY target ORDER BY (target, hour);
CREATE TABLE {db}.drops (target String, part UInt32, dropped DateTime)
 ENGINE = {RMT:dropped} PARTITION BY target ORDER BY (target, part);
