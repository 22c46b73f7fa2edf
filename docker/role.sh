#!/bin/sh
# Makes the role and the database of elfmem when the database begins. The role is no superuser, and row policies hold for it.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
  --set=password="$(cat "${ELFMEM_PASSWORD_FILE:-/run/secrets/elfmem_password}")" <<'SQL'
CREATE ROLE elfmem LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE elfmem OWNER elfmem;
REVOKE ALL ON DATABASE elfmem FROM PUBLIC;
SQL
