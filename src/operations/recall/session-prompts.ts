import { fenced } from '../../block/text.ts'

export { fenced }

/** An answer that a prompt is made of. */
export interface Answered {
  readonly text: string
  readonly blockIds: readonly string[]
}

/**
 * Returns the prompt that tells a host agent who it is, by what it knows of itself.
 *
 * @param remembers true if it has a tool to remember more with
 */
export function selfPrompt({ text, blockIds }: Answered, remembers: boolean): string {
  if (text === '') {
    const more = 'Remember what should stay: elfmem_remember with a tag self/value, self/style or self/goal.'
    return ['Your memory elfmem knows nothing of who you are yet.', ...(remembers ? [more] : [])].join(' ')
  }
  return [
    'This is what you know of yourself, from your memory elfmem. Speak and decide as whoever it describes, unless the person you work for says otherwise.',
    fenced(text, blockIds),
  ].join('\n\n')
}

/** The tools that a reflection ends with, as far as the caller has them. */
export interface ReflectTools {
  readonly many: boolean
  readonly outcome: boolean
}

/**
 * Returns the prompt by which a host agent keeps what a session taught it.
 *
 * @param recent what the session took in and used, if that is known
 */
export function reflectPrompt({ text, blockIds }: Answered, { many, outcome }: ReflectTools): string {
  const keep = many
    ? 'Keep it with one call of elfmem_remember_many, a block for each thing'
    : 'Keep it with elfmem_remember, a call for each thing'
  return [
    'Look back on this session, and keep what a later one should know. Think first, then write.',
    [
      '- What did you learn that holds beyond this task: facts, decisions and their reasons, preferences of the person, traps?',
      '- What did you believe that turned out wrong?',
      '- What is open, and what comes next?',
    ].join('\n'),
    `${keep}: one statement each, with its names and numbers, readable without this conversation. Say with source or source_class whose words they are when they are not your own. Leave out what anybody can look up, and every secret.`,
    ...(outcome
      ? [
          'Then call elfmem_outcome once: in helped the ids of what you recalled and used, in misled of what was wrong.',
        ]
      : []),
    ...(text === ''
      ? []
      : ['This session took in and used, so do not keep it twice:', fenced(text, blockIds)]),
  ].join('\n\n')
}
