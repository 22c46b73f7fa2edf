import { type Asked, askServer, NOTHING, PAYLOAD_BYTES_MAX } from './ask.ts'

/**
 * Returns the answer to the payload on a stream. Whatever the stream holds or does, there is an answer in time: `{}` for one that
 * is too long, that fails, or that does not end.
 */
export async function answerStream(
  stream: AsyncIterable<Uint8Array>,
  asking: Omit<Asked, 'payload'>,
): Promise<string> {
  const over = Promise.withResolvers<string>()
  const timer = setTimeout(() => over.resolve(NOTHING), asking.within)
  const answer = async () => {
    const payload = await payloadOf(stream)
    return payload === undefined ? undefined : askServer({ ...asking, payload })
  }
  try {
    return (await Promise.race([answer(), over.promise])) ?? NOTHING
  } catch {
    return NOTHING
  } finally {
    clearTimeout(timer)
  }
}

/** Reads a whole stream as text; undefined if it is too long. */
export async function payloadOf(stream: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of stream) {
    length += part.length
    if (length > PAYLOAD_BYTES_MAX) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
