/**
 * The reference's cut (Python elfmem, step 10): guaranteed ids first, in their order among the candidates, then others up
 * to `topK` in all. Quirk: what is cut here is reported nowhere (W15), and a guarantee that is no candidate is lost.
 */
export function enforceGuarantees(
  candidates: readonly string[],
  guaranteed: readonly string[],
  topK: number,
): string[] {
  if (guaranteed.length === 0) return [...candidates]
  const always = new Set(guaranteed)
  const first = candidates.filter((id) => always.has(id))
  const others = candidates.filter((id) => !always.has(id))
  return [...first, ...others.slice(0, Math.max(0, topK - first.length))]
}
