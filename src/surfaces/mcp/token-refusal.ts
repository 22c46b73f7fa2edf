import { ElfmemError } from '../../errors.ts'

/**
 * Returns a refusal as the holder of a token may read it: it names no scope but the token's own, and does not say where on the server's
 * machine the memory is. A failure that is no error of elfmem is returned as it is.
 */
export function tokenRefusal(cause: unknown, holder: { readonly scope?: string | undefined }): unknown {
  if (!ElfmemError.is(cause)) return cause
  const { code, message, recovery } = cause
  const { location: _location, ...facts }: Readonly<Record<string, unknown>> = { ...cause.details }
  const isOthers = code === 'OUT_OF_SCOPE' && holder.scope !== undefined && facts.scope !== holder.scope
  const told = isOthers
    ? { message: 'The scope of this token is not served here.', details: { scope: holder.scope } }
    : { message, details: facts }
  const more =
    code === 'OUT_OF_SCOPE' ? 'The owner can give a token of another scope: elfmem tokens add.' : recovery
  return new ElfmemError(code, told.message, { recovery: more, details: told.details, cause } as never)
}
