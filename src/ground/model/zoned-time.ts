const DAY_AND_TIME: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
}

/** `Fri 2026-11-27 22:00 Europe/Berlin (Fri 21:00 UTC)`; in UTC once. */
export function zonedTimeText(at: number, zone: string): string {
  const local = partsOf(at, zone)
  const shown = `${local.day} ${local.date} ${local.time} ${zone}`
  if (zone === 'UTC') return shown
  const utc = partsOf(at, 'UTC')
  return `${shown} (${utc.day} ${utc.time} UTC)`
}

function partsOf(at: number, zone: string) {
  const parts = new Intl.DateTimeFormat('en-GB', { ...DAY_AND_TIME, timeZone: zone }).formatToParts(at)
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? ''
  return {
    day: of('weekday'),
    date: `${of('year')}-${of('month')}-${of('day')}`,
    time: `${of('hour')}:${of('minute')}`,
  }
}
