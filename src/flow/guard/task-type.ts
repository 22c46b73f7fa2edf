import { ElfmemError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { checkText } from './check-input.ts'
import { checkLimits } from './check-limits.ts'
import { guardSecrets } from './guard-secrets.ts'

/**
 * Returns the name of a session as it may be kept; no operation begins sessions, so none checked it yet.
 * Throws `INVALID_INPUT`, `LIMIT_EXCEEDED` or `SECRET_REFUSED` as any call would.
 */
export async function taskTypeOf({ settings }: Engine, taskType: string): Promise<string> {
  if (typeof taskType !== 'string')
    throw new ElfmemError('INVALID_INPUT', 'The taskType of a session is a text.', {
      recovery: "Call it what the session is about, such as { taskType: 'review' }, or leave it out.",
    })
  checkLimits({ taskType }, settings.limits)
  checkText('taskType', taskType)
  const { input } = await guardSecrets({ taskType }, settings.memory.secrets)
  return input.taskType
}
