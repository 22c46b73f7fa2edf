import { BOUNDARIES } from './boundaries.ts'
import { CLIENT_FILES } from './clients.ts'
import { DASHBOARD } from './dashboard.ts'
import { DOOR } from './door.ts'
import { DURABILITY } from './durability.ts'
import { ECHOES } from './echoes.ts'
import { FILES } from './files.ts'
import { OVER_HTTP } from './http.ts'
import { IMPORTS } from './imports.ts'
import { INTEGRATIONS } from './integrations.ts'
import type { Mutant } from './mutant.ts'
import { NAMES } from './names.ts'
import { RANKS } from './ranks.ts'
import { SECURITY } from './security.ts'
import { TRACES } from './traces.ts'

export const MUTANTS: readonly Mutant[] = [
  ...DURABILITY,
  ...SECURITY,
  ...OVER_HTTP,
  ...DASHBOARD,
  ...FILES,
  ...DOOR,
  ...RANKS,
  ...NAMES,
  ...BOUNDARIES,

  ...ECHOES,
  ...IMPORTS,
  ...INTEGRATIONS,
  ...CLIENT_FILES,
  ...TRACES,
]
