"""Certificates for servers of tests, by openssl."""
import subprocess


def make(folder, name="server", names="DNS:localhost,IP:127.0.0.1"):
    """A certificate that is its own root; returns the paths of the certificate and its key."""
    certificate, key = f"{folder}/{name}.crt", f"{folder}/{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}",
         "-keyout", key, "-out", certificate],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return certificate, key
