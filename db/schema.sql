-- What the migrations make, written by scripts/schema.ts. Partitions are left out: they come and go by the day.

-- tables


-- constraints


-- indexes


-- policies


-- grants


-- functions


-- triggers

