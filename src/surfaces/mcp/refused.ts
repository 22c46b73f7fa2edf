import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { snakeCase } from '../../adapters/project/spelling.ts'
import { exampleToolCall } from '../example.ts'
import { failureOf, type Spelling } from '../failure.ts'

/** How tools and their arguments are spelled. */
export const SPELLING: Spelling = { name: snakeCase, example: exampleToolCall }

/** A refusal of what is no tool call, as an error of the protocol that says what to do. */
export async function refused(cause: unknown): Promise<ProtocolError> {
  const failure = await failureOf(cause, SPELLING)
  const said = `${failure.code}: ${failure.error} ${failure.recovery}`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, said, { ...failure })
}
