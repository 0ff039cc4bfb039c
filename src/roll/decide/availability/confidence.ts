/** Zero failures in `n` requests: with 95 % confidence the true share is below this (rule of three). */
export const highestShare = (n: number): number => Math.min(1, 3 / n)

/** Two significant digits, rounded up so that the claim stays true. */
function percentAbove(share: number): string {
  const percent = share * 100
  const unit = 10 ** (Math.floor(Math.log10(percent)) - 1)
  return plain(Math.ceil((percent * 0.995) / unit) * unit)
}

const plain = (percent: number): string => {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(percent) + 1e-9))
  return percent.toFixed(Math.min(digits, 12))
}

function percentNear(share: number): string {
  const percent = share * 100
  const unit = 10 ** (Math.floor(Math.log10(percent)) - 1)
  const rounded = Math.round(percent / unit) * unit
  return rounded >= 100 && share < 1 ? '>99' : plain(rounded)
}

/** `0.0016 %`, to follow "fewer than". */
export const fewerThan = (n: number): string => `${percentAbove(highestShare(n))} %`

/** `0.28 %`; for a measured zero its bound, `<0.049 %`; `-` where nothing was sent. */
export function shareText(failed: number, sent: number): string {
  if (sent === 0) return '-'
  return failed === 0 ? `<${fewerThan(sent)}` : `${percentNear(failed / sent)} %`
}
