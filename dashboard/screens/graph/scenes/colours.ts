const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i
const SHORT = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i

/** Mixes a share of a colour with a ground, both as #rgb or #rrggbb: opaque, so that a canvas has nothing to blend. */
export function mixed(colour: string, ground: string, share: number): string {
  const [over, under] = [partsOf(colour), partsOf(ground)]
  const parts = over.map((part, i) => Math.round(part * share + (under[i] ?? 0) * (1 - share)))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

function partsOf(colour: string): number[] {
  const found =
    HEX.exec(colour)?.slice(1) ??
    SHORT.exec(colour)
      ?.slice(1)
      .map((digit) => digit + digit)
  return (found ?? ['80', '80', '80']).map((part) => Number.parseInt(part, 16))
}
