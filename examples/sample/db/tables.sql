-- The tables.

create table parcel (
  code text primary key,
  weight_g integer not null check (weight_g > 0),
  country text not null, -- FIXME: two letters, but nothing checks it
  taken_in timestamp not null
);

-- TODO: an index for the search by day, once there are
-- enough parcels to measure it.
create table event (
  parcel text not null references parcel (code),
  at timestamp not null,
  place text not null
);
