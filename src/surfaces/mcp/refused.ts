import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { snakeCase } from '../../adapters/project/spelling.ts'
import { failureOf } from '../failure.ts'

/** A refusal of what is no tool call, as an error of the protocol that says what to do. */
export function refused(cause: unknown): ProtocolError {
  const failure = failureOf(cause, snakeCase)
  const said = `${failure.code}: ${failure.error} ${failure.recovery}`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, said, { ...failure })
}
