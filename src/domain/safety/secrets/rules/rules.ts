import { SAID_RULES } from '../prose/said.ts'
import type { SecretRule } from '../rule.ts'
import { ASSIGNED_RULES } from './assigned.ts'
import { CLOUD_RULES } from './clouds.ts'
import { COMMAND_RULES } from './commands.ts'
import { HASH_RULES } from './hashes.ts'
import { KEY_RULES } from './keys.ts'
import { NAMED_SERVICE_RULES } from './named-services.ts'
import { PLACE_RULES } from './places.ts'
import { SERVICE_RULES } from './services.ts'
import { VENDOR_RULES } from './vendors.ts'

/** Every kind looked for, the surest first: of two that overlap, the earlier counts. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...KEY_RULES,
  ...CLOUD_RULES,
  ...SERVICE_RULES,
  ...VENDOR_RULES,
  ...HASH_RULES,
  ...PLACE_RULES,
  ...COMMAND_RULES,
  ...NAMED_SERVICE_RULES,
  ...ASSIGNED_RULES,
  ...SAID_RULES,
]
