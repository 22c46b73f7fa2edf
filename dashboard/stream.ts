/** One message of an event stream. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  readonly id?: string | undefined
}

/** Splits what has come of a stream into whole messages and the rest. Comments are left out. */
export function readEvents(text: string): { readonly events: readonly StreamEvent[]; readonly rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n')
  const rest = blocks.pop() ?? ''
  return { events: blocks.flatMap(eventOf), rest }
}

function eventOf(block: string): StreamEvent[] {
  const fields = new Map<string, string[]>()
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    if (at <= 0) continue
    const name = line.slice(0, at)
    fields.set(name, [...(fields.get(name) ?? []), line.slice(at + 1).replace(/^ /, '')])
  }
  const data = fields.get('data')
  if (data === undefined) return []
  return [
    { event: fields.get('event')?.[0] ?? 'message', data: data.join('\n'), id: fields.get('id')?.at(-1) },
  ]
}
