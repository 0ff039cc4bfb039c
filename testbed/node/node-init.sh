#!/usr/bin/env bash
# The first process of a node: makes the node's own view of the machine, keeps its services running, and ends them
# politely upon SIGTERM. Leaves with 0 for another boot, with 10 to stay off.
# usage: node-init.sh NAME DISK PROGRAMS ADDRESS, with the power supply on 0 (says go) and 3 (hears when it is sealed)
set -eu
name=$1 disk=$2 programs=$3 address=$4

others() { # every process but this one, the buried-to-be, and shims: a shim that gets SIGTERM takes its containers along
  local folder comm state
  for folder in /proc/[0-9]*; do
    { read -r comm <"$folder/comm" && read -r _ _ state _ <"$folder/stat"; } 2>/dev/null || continue
    [[ $folder == /proc/1 || $state == Z || $comm == containerd-shim* ]] || echo "${folder#/proc/}"
  done
}
stop() {
  trap '' TERM
  others >/run/evenkeel/others; kill -TERM $(</run/evenkeel/others) 2>/dev/null
  for ((tenths = 0; tenths < 50; tenths++)); do others >/run/evenkeel/others; [[ -s /run/evenkeel/others ]] || break; sleep 0.1; done
  [[ -e /run/evenkeel/power-off ]] && exit 10
  exit 0
}
trap stop TERM

read -r _ # the power supply says when the cable is in
exec </dev/null
hostname "$name"
mount -t proc proc /proc

# /run is put together aside and moved in whole: what it is made of may lie below a folder that is about to be covered.
mount -t tmpfs -o mode=755 tmpfs "$disk/run"
mkdir -p "$disk"/run/{netns,lock,sshd,containerd} "$disk"/run/evenkeel/{disk,programs,decoys,stand-ins}
mount --bind "$programs" "$disk/run/evenkeel/programs"
mount --bind "$disk" "$disk/run/evenkeel/disk"
mount -n --move "$disk/run" /run
for pair in etc:/etc root:/root log:/var/log lib:/var/lib boot_id:/proc/sys/kernel/random/boot_id; do
  mount --bind "/run/evenkeel/disk/${pair%%:*}" "${pair#*:}"
done
for folder in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$folder"; done

# What kubelet would set for the whole machine, it sets on decoys; what would restart the machine leads nowhere.
for setting in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_max{keys,bytes}; do
  decoy=/run/evenkeel/decoys/${setting//\//_}
  cat "/proc/sys/$setting" >"$decoy" && mount --bind "$decoy" "/proc/sys/$setting"
done
[[ ! -e /proc/sysrq-trigger ]] || mount --bind /dev/null /proc/sysrq-trigger
for command in systemctl reboot poweroff halt shutdown; do ln -s /run/evenkeel/programs/power "/run/evenkeel/stand-ins/$command"; done
for folder in /usr/bin /usr/sbin; do mount -t overlay -o "lowerdir=/run/evenkeel/stand-ins:$folder" overlay "$folder"; done
mount --make-rshared /
# Commands may run here only from now on: before, "reboot" was the machine's own. Up to here any failure ends the boot.
set +e
echo sealed >&3; exec 3>&-

echo 1 >/proc/sys/net/ipv4/ip_forward
for scope in all default; do echo 0 >"/proc/sys/net/ipv4/conf/$scope/rp_filter"; done
echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
# Until kube-proxy has written its rules, service addresses refuse: a SYN lost in this window costs a pod half a minute.
for chain in FORWARD OUTPUT; do
  iptables -w -A "$chain" -d 10.96.0.0/16 -p tcp -j REJECT --reject-with tcp-reset
  iptables -w -A "$chain" -d 10.96.0.0/16 -p udp -j REJECT --reject-with icmp-port-unreachable
done

service() { # NAME COMMAND... : runs it, and again whenever it ends
  local log=/var/log/$1.log; shift
  (trap - TERM; while :; do "$@" >>"$log" 2>&1; echo "== ended with $?" >>"$log"; sleep 1; done) &
}
kube=/run/evenkeel/programs/kube
service sshd "$(command -v sshd)" -D -e -f /etc/evenkeel/sshd_config
service containerd containerd --log-level warn
service kubelet $kube kubelet --config=/etc/kubernetes/kubelet.json --kubeconfig=/etc/kubernetes/kubelet.kubeconfig --hostname-override="$name" --node-ip="$address"
service kube-proxy $kube kube-proxy --config=/etc/kubernetes/kube-proxy.json
while :; do wait -n; sleep 0.2; done
