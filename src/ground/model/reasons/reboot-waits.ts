import type { ReasonEntry } from './reason-entry.ts'

/** What is waited for between the command and another boot id. */
export const REBOOT_WAITS = {
  Rebooting: {
    is: 'n1 is rebooting; the API still shows its old boot id',
    cause: 'The machine has not come back, or its kubelet has not reported since the reboot.',
    cure: 'Wait for a new boot id, at most for `reboot.returnLimit` (15 min).',
    wait: 'blocked',
    progress: true,
  },
  RebootAllowed: {
    is: 'n1 may reboot, and the client on it has not rebooted it yet',
    cause:
      'With `reboot.fleetLock` the roll sends nothing. The client on the machine hears that it may reboot when it asks next, and may finish its own work first.',
    cure: 'Wait for the client, at most for `reboot.returnLimit`. Look at its log on the machine (`journalctl -u zincati`).',
    wait: 'blocked',
    progress: true,
  },
  BootIdNotPublished: {
    is: 'n1 has another boot id, and its kubelet has not reported it yet',
    cause: 'The machine is back, but its kubelet has not written its status yet.',
    cure: 'Wait for the next status of the kubelet.',
    wait: 'blocked',
    progress: true,
  },
  RebootUnknown: {
    is: 'it is unknown whether n1 got the reboot command',
    cause:
      'The connection broke while the command was sent, another process sent it, or the command failed: the text says how. Since systemd 257 `systemctl reboot` fails as long as anything inhibits it, also for root (`systemd-inhibit --list`).',
    cure: 'Wait for a new boot id. After `reboot.resendAfter` (2 min) the command is sent again; it does nothing if the machine has another boot id than the recorded one.',
    wait: 'blocked',
  },
  RebootUnsent: {
    is: 'the reboot command could not be sent to n1: ssh n1: connect to host 10.0.0.11 port 22: Connection refused',
    cause: 'No ssh connection to the machine came about. Nothing was sent, and the machine still runs.',
    cure: 'Let ssh reach the machine. The roll tries again every few seconds, until `reboot.returnLimit` (15 min) is over.',
    wait: 'blocked',
  },
  RebootRefused: {
    is: 'n1 refused the reboot: …',
    cause: 'The text comes from the machine: sudo refused, or a command is missing.',
    cure: 'Repair it. The command is sent again after `reboot.resendAfter`. If the file was wrong, correct it: `evenkeel roll resume -f roll.yaml`.',
    wait: 'blocked',
  },
  SameBootId: {
    is: 'n1 still has its old boot id',
    cause: 'The machine was not rebooted.',
    cure: 'Wait for the reboot.',
    wait: 'blocked',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
