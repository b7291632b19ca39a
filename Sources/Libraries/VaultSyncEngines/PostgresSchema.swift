/// What an administrator runs once in a database that is to hold spaces.
package enum PostgresSchema {
  /// The statements, for psql.
  ///
  /// All rights are in functions that compare `session_user`: tables have rights to read only, so
  /// that not even a machine's own records can be altered or removed by it.
  package static let text = #"""
    -- vault: spaces in PostgreSQL, version 1 of the schema. An administrator runs it once:
    --   vault sync schema postgresql | psql -v ON_ERROR_STOP=1 DATABASE
    -- A machine's login role is a member of vault_sync; vault_read is for backups and monitors.
    -- A member of vault_create may begin spaces; others need a row in vault_sync.access:
    --   insert into vault_sync.access values (decode('SPACE', 'hex'), 'ROLE', true);
    begin;
    do $$ begin create role vault_sync nologin; exception when duplicate_object then null; end $$;
    do $$ begin create role vault_read nologin; exception when duplicate_object then null; end $$;
    do $$ begin create role vault_create nologin; exception when duplicate_object then null; end $$;
    create schema vault_sync;
    revoke all on schema vault_sync from public;
    grant usage on schema vault_sync to vault_sync, vault_read;
    set local search_path = vault_sync;

    create table version (number int primary key);
    insert into version values (1);
    create table access (
      space bytea not null check (octet_length(space) = 16),
      role name not null,
      writes boolean not null default false,
      primary key (space, role));
    create table streams (
      space bytea not null check (octet_length(space) = 16),
      stream bytea not null check (octet_length(stream) = 16),
      owner name not null,
      sequence bigint not null check (sequence > 0),
      hash bytea not null check (octet_length(hash) = 32),
      moved timestamptz not null default now(),
      primary key (space, stream));
    create table records (
      space bytea not null,
      stream bytea not null,
      sequence bigint not null check (sequence > 0),
      body bytea not null check (octet_length(body) between 1 and 16777216),
      primary key (space, stream, sequence),
      foreign key (space, stream) references streams);
    create table objects (
      space bytea not null check (octet_length(space) = 16),
      name bytea not null check (octet_length(name) = 32),
      body bytea not null check (octet_length(body) <= 1048576),
      primary key (space, name));
    create table invitations (
      space bytea not null check (octet_length(space) = 16),
      id bytea not null check (octet_length(id) = 16),
      owner name not null,
      body bytea not null check (octet_length(body) <= 1048576),
      primary key (space, id));
    -- Sealed: there is nothing to compress.
    alter table records alter column body set storage external;
    alter table objects alter column body set storage external;

    -- A role that was dropped, and still has a row, is nobody: its name alone would be an error.
    create function is_mine(in_role name) returns boolean language sql stable
      set search_path = vault_sync, pg_temp as
    $$ select coalesce(pg_has_role(session_user, to_regrole(quote_ident(in_role))::oid, 'member'),
         false) $$;

    -- Reading: one's own spaces alone.
    create function spaces() returns bytea[] language sql stable security definer
      set search_path = vault_sync, pg_temp as
    $$ select coalesce(array_agg(space), '{}') from access
       where is_mine(role) $$;
    alter table access enable row level security;
    alter table streams enable row level security;
    alter table records enable row level security;
    alter table objects enable row level security;
    alter table invitations enable row level security;
    create policy own on access for select using (is_mine(role));
    create policy mine on streams for select using (space = any ((select spaces())::bytea[]));
    create policy mine on records for select using (space = any ((select spaces())::bytea[]));
    create policy mine on objects for select using (space = any ((select spaces())::bytea[]));
    create policy mine on invitations for select using (space = any ((select spaces())::bytea[]));
    grant select on version, access, streams, records, objects, invitations
      to vault_sync, vault_read;

    -- Writing: by functions alone.
    create function check_write(in_space bytea) returns void language plpgsql security definer
      set search_path = vault_sync, pg_temp as $$
    begin
      if is_mine('vault_create') then
        -- Two that begin one space at one moment come one after the other.
        perform pg_advisory_xact_lock(hashtextextended(encode(in_space, 'hex'), 0));
        -- One that has lost its last row is not a new one.
        if not exists (select from access where space = in_space)
            and not exists (select from streams where space = in_space)
            and not exists (select from objects where space = in_space)
            and not exists (select from invitations where space = in_space) then
          insert into access values (in_space, session_user, true);
        end if;
      end if;
      if not exists (select from access where space = in_space and writes
                     and is_mine(role)) then
        raise exception 'this role may not write to the space' using errcode = '42501';
      end if;
    end $$;
    create function append(
      in_space bytea, in_stream bytea, first bigint, bodies bytea[], head bytea
    ) returns text language plpgsql security definer set search_path = vault_sync, pg_temp as $$
    declare
      last bigint := first + cardinality(bodies) - 1;
      there streams%rowtype;
      same int;
    begin
      perform check_write(in_space);
      insert into streams values (in_space, in_stream, session_user, last, head)
        on conflict do nothing;
      select * into there from streams where space = in_space and stream = in_stream for update;
      if there.owner <> session_user then
        raise exception 'the stream is another role''s' using errcode = '42501';
      end if;
      -- A database that lost everything gets what a machine still has.
      if first > 1 and not exists (select from records where space = in_space
          and stream = in_stream and sequence = first - 1)
        and exists (select from records where space = in_space and stream = in_stream) then
        raise exception 'the record before is not there' using errcode = '55000';
      end if;
      insert into records select in_space, in_stream, first + n - 1, b
        from unnest(bodies) with ordinality as r(b, n) on conflict do nothing;
      select count(*) into same from unnest(bodies) with ordinality as r(b, n)
        join records on space = in_space and stream = in_stream
          and sequence = first + n - 1 and body = b;
      if same <> cardinality(bodies) then
        raise exception 'a number is taken' using errcode = '23505';
      end if;
      update streams set sequence = last, hash = head, moved = now()
        where space = in_space and stream = in_stream and sequence <= last;
      perform pg_notify('vault_' || encode(in_space, 'hex'), encode(in_stream, 'hex'));
      return 'ok';
    end $$;
    create function put_object(in_space bytea, in_name bytea, in_body bytea) returns text
    language plpgsql security definer set search_path = vault_sync, pg_temp as $$
    begin
      perform check_write(in_space);
      insert into objects values (in_space, in_name, in_body) on conflict do nothing;
      return case when exists (select from objects where space = in_space and name = in_name
        and body = in_body) then 'ok' else 'other' end;
    end $$;
    create function put_invitation(in_space bytea, in_id bytea, in_body bytea) returns text
    language plpgsql security definer set search_path = vault_sync, pg_temp as $$
    begin
      perform check_write(in_space);
      -- An admin ends what another one began.
      insert into invitations values (in_space, in_id, session_user, in_body)
        on conflict (space, id) do update set owner = excluded.owner, body = excluded.body;
      return 'ok';
    end $$;
    revoke all on all functions in schema vault_sync from public;
    grant execute on function spaces(), is_mine(name) to vault_sync, vault_read;
    grant execute on function append(bytea, bytea, bigint, bytea[], bytea),
      put_object(bytea, bytea, bytea), put_invitation(bytea, bytea, bytea) to vault_sync;
    commit;

    """#
}
