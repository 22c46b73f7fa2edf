import { BOUNDARIES } from './boundaries.ts'
import { DURABILITY } from './durability.ts'
import { FILES } from './files.ts'
import type { Mutant } from './mutant.ts'
import { SECURITY } from './security.ts'

export const MUTANTS: readonly Mutant[] = [...DURABILITY, ...SECURITY, ...FILES, ...BOUNDARIES]
